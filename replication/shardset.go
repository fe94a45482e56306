package replication

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"
)

// shardSet is what there is of the publications and slots of all shards.
type shardSet struct {
	cfg    *Config
	shards []*Config
	notes  map[string]string // comments of the publications that exist
	slots  map[string]SlotInfo
}

func readShardSet(ctx context.Context, conn *pgx.Conn, cfg *Config) (*shardSet, error) {
	s := &shardSet{cfg: cfg, shards: cfg.shards(), notes: map[string]string{}, slots: map[string]SlotInfo{}}
	var publications, slots []string
	for _, shard := range s.shards {
		publications, slots = append(publications, shard.Publication), append(slots, shard.Slot)
	}
	var name, note string
	err := eachRow(ctx, conn, []any{&name, &note}, func() error { s.notes[name] = note; return nil },
		`SELECT pubname::text, coalesce(obj_description(oid, 'pg_publication'), '') FROM pg_catalog.pg_publication WHERE pubname = ANY ($1)`, publications)
	if err != nil {
		return nil, fmt.Errorf("look up the publications of the shards: %w", err)
	}
	var row []byte
	err = eachRow(ctx, conn, []any{&name, &row}, func() error {
		var info SlotInfo
		err := json.Unmarshal(row, &info)
		s.slots[name] = info
		return err
	}, `SELECT slot_name::text, to_jsonb(s)::text FROM pg_catalog.pg_replication_slots s WHERE slot_name = ANY ($1)`, slots)
	if err != nil {
		return nil, fmt.Errorf("look up the replication slots of the shards: %w", err)
	}
	return s, nil
}

// shardPlan is what a start has to make before a slot is read.
type shardPlan int

const (
	useShards      shardPlan = iota // nothing: the shard's own publication and slot are judged as without shards
	createShards                    // all publications and slots
	completeShards                  // the slots that are missing
)

// plan decides. Something is made for the other shards only if nothing of the set was
// read yet: then all slots begin at one position. last is where this process stood.
func (s *shardSet) plan(last Position) (shardPlan, error) {
	_, ownSlot := s.slots[s.cfg.Slot]
	note, published := s.notes[s.cfg.Publication]
	ownNoted := note == commentSlot+s.cfg.Slot
	switch none := len(s.slots) == 0; {
	case len(s.notes) == 0 && none:
		return createShards, nil
	case published && ownSlot && !s.unread(): // trouble of other shards must not stop this one
		return useShards, nil
	case len(s.notes) < len(s.shards):
		return useShards, errUnpublished
	case last.SystemID != "":
		return useShards, nil
	case s.unread():
		return completeShards, nil
	case none && (s.cfg.CreateSlot || s.cfg.Snapshot == WhenNeeded): // all slots at one position, so that no shard's rows are lost until its relay starts
		return completeShards, nil
	case s.cfg.Snapshot == WhenNeeded, !s.cfg.CreateSlot, ownNoted:
		return useShards, nil
	}
	return useShards, s.incompleteSlots()
}

// unread reports that the relay made the publications and read no slot: then what is
// missing of them was never there.
func (s *shardSet) unread() bool {
	for _, note := range s.notes {
		if note != commentNoSlot {
			return false
		}
	}
	return true
}

// missing lists the slots that do not exist.
func (s *shardSet) missing() (slots []string) {
	for _, shard := range s.shards {
		if _, ok := s.slots[shard.Slot]; !ok {
			slots = append(slots, shard.Slot)
		}
	}
	return slots
}

// errUnpublished is a set of which some publications exist, or slots without any.
var errUnpublished = errors.New("publications of shards are missing")

// incompletePublications is errUnpublished with what can be done.
func (s *shardSet) incompletePublications(tables []table) error {
	var missing, sql []string
	for _, shard := range s.shards {
		if _, ok := s.notes[shard.Publication]; !ok {
			missing, sql = append(missing, shard.Publication), append(sql, createPublicationSQL(shard, tables))
		}
	}
	return configuration("shards_incomplete", &Remedy{
		Err: fmt.Errorf("there are %d publications and %d slots of %d shards, and no publication %s: new rows of its shard are published to nobody, and it cannot be told whether it was dropped or never made",
			len(s.notes), len(s.slots), len(s.shards), strings.Join(quoted(missing), ", ")),
		SQL:  sql,
		Then: "start with -slot.create if no shard has relayed anything yet; else drop the slot of that shard, which cannot be read over the gap, and start that shard once with -snapshot.mode when_needed",
	})
}

func (s *shardSet) incompleteSlots() error {
	missing := s.missing()
	return human("shards_incomplete", fmt.Errorf("replication slots of %d of the %d shards exist, and %s does not: rows of its shard that were committed meanwhile are in no slot, and -slot.create would skip them without a trace. "+
		"If none was, or those were sent again, make it: SELECT pg_create_logical_replication_slot(%s, 'pgoutput'); to relay all rows of the shard that the table holds, start it once with -snapshot.mode when_needed",
		len(s.slots), len(s.shards), strings.Join(quoted(missing), ", "), quoteLiteral(s.cfg.Slot)))
}

// siblings tells what is wrong with the other shards, which else nobody may tell: a
// relay that was never started does not. unread are the slots that nobody reads now.
func (s *shardSet) siblings() (unread []string, problem error) {
	var errs []error
	for _, shard := range s.shards {
		if shard.Slot == s.cfg.Slot {
			continue
		}
		info, found := s.slots[shard.Slot]
		reason, lost := info.Lost()
		_, published := s.notes[shard.Publication]
		switch {
		case !found:
			errs = append(errs, fmt.Errorf("replication slot %q does not exist, which is that of %s: new rows of that shard are in no slot", shard.Slot, shard.Shard.title()))
		case lost:
			errs = append(errs, fmt.Errorf("replication slot %q is lost (%s), which is that of %s: rows of that shard are missing", shard.Slot, reason, shard.Shard.title()))
		case !published:
			errs = append(errs, fmt.Errorf("publication %q does not exist, which is that of %s: new rows of that shard are published to nobody", shard.Publication, shard.Shard.title()))
		case !info.Active:
			unread = append(unread, shard.Slot)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return unread, human("shard_missing", fmt.Errorf("%w; start that shard's relay, which says what to do", err))
	}
	return unread, nil
}

// oldest is the slot with the lowest confirmed position, "" if there is none.
func (s *shardSet) oldest() (name string) {
	var low pglogrepl.LSN
	for slot, info := range s.slots {
		if at := pglogrepl.LSN(info.ConfirmedFlushLSN); name == "" || at < low {
			name, low = slot, at
		}
	}
	return name
}

func quoted(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = fmt.Sprintf("%q", name)
	}
	return all
}
