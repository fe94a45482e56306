package replication

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"
)

// SlotSurvey is the slot's part.
type SlotSurvey struct {
	Missing   bool
	Info      SlotInfo
	Confirmed pglogrepl.LSN
	Retained  int64  // bytes of WAL that the server keeps for it
	Holder    string // who reads it now, as application (pid 1); "" for nobody
	Err       error
	Snapshot  error // a snapshot through it was not finished
	// Younger reports that the publication was made or altered after the oldest state of
	// the catalog by which the slot may have to read rows: if it was dropped and made
	// again with rows in between, no start gets over them. What waits cannot be looked at.
	Younger bool
}

// publication judges publication and tables, and reports whether a missing slot is
// then a first start's.
func (s *Survey) publication(ctx context.Context, o *opener) (firstStart bool) {
	tables, err := findTables(ctx, o.sql, o.cfg)
	if err != nil {
		s.TablesErr = err
		if ClassOf(err) == Transient {
			return false
		}
	}
	p := &s.Publication
	pub, err := readPublication(ctx, o.sql, o.cfg.Publication)
	switch {
	case errors.Is(err, pgx.ErrNoRows) && s.TablesErr != nil:
		p.Missing, firstStart = true, true // what it is to carry must be there first
	case errors.Is(err, pgx.ErrNoRows):
		p.Missing, p.Create, firstStart = true, strings.Join(creationSQL(o.cfg, tables), "; "), true
		p.Err = o.mayPublish(ctx, tables)
	case err != nil:
		p.Err = fmt.Errorf("look up publication %q: %w", o.cfg.Publication, err)
		return false
	default:
		if p.Err = markPublished(ctx, o.sql, o.cfg.Publication, tables); p.Err == nil {
			p.Err = checkPublication(o.cfg, pub, o.cfg.Autocreate.needed(tables))
		}
		firstStart = pub.comment == commentNoSlot
	}
	for i := range tables {
		t, err := o.surveyTable(ctx, &tables[i])
		if err != nil {
			s.TablesErr = fmt.Errorf("look up the columns of %s: %w", tables[i].quoted(), err)
			break
		}
		s.Tables = append(s.Tables, t)
	}
	return firstStart
}

// mayPublish tells beforehand what making the publication would fail with.
func (o *opener) mayPublish(ctx context.Context, tables []table) error {
	if err := refuseCreation(o.cfg, tables); err != nil {
		return err
	}
	var create bool
	owned := true
	err := o.sql.QueryRow(ctx, `SELECT has_database_privilege(current_database(), 'CREATE')`).Scan(&create)
	for i := 0; i < len(tables) && err == nil && owned; i++ {
		err = o.sql.QueryRow(ctx, `SELECT pg_has_role(c.relowner, 'USAGE') FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = $1 AND c.relname = $2`, tables[i].schema, tables[i].name).Scan(&owned)
	}
	if err != nil {
		return fmt.Errorf("look up who may make publication %q: %w", o.cfg.Publication, err)
	}
	if !create || !owned {
		return configuration("privilege", remedy(fmt.Errorf("publication %q does not exist, and this role may not make it: that takes CREATE on the database and the table's ownership", o.cfg.Publication), creationSQL(o.cfg, tables)...))
	}
	return nil
}

func (o *opener) surveyTable(ctx context.Context, t *table) (TableSurvey, error) {
	rel, err := describeTable(ctx, o.sql, o.cfg.Publication, t)
	if err != nil {
		return TableSurvey{}, err
	}
	s := TableSurvey{Relation: rel}
	whole, err := describeTable(ctx, o.sql, "", t) // no publication has this name
	if err != nil {
		return TableSurvey{}, err
	}
	if len(whole.Columns) > len(rel.Columns) {
		s.Whole, s.Publish = whole, republish(o.cfg, t)
	}
	if o.cfg.Snapshot.wanted() {
		_, s.Select = o.readable(ctx)
	}
	return s, nil
}

// republish are the statements that take a table's row filter and column list away,
// but for the filter of a shard, and leave the publication's other tables alone.
func republish(cfg *Config, t *table) []string {
	alter := "ALTER PUBLICATION " + quoteIdent(cfg.Publication)
	return []string{"BEGIN", alter + " DROP TABLE " + t.quoted(), alter + " ADD TABLE " + t.quoted() + t.where(&cfg.Shard), "COMMIT"}
}

// slot judges the slot, and whether there is room for one that is to be made.
func (s *Survey) slot(ctx context.Context, o *opener, firstStart bool) {
	out := &s.Slot
	var found bool
	if out.Info, found, out.Err = findSlot(ctx, o.sql, o.cfg.Slot); out.Err != nil {
		return
	}
	if !o.cfg.Snapshot.wanted() {
		out.Snapshot = o.noSnapshotLeft(ctx)
	}
	if !found {
		out.Missing = true
		out.Err = o.mayCreate(firstStart, o.cfg.Snapshot == WhenNeeded)
		if out.Err == nil {
			out.Err = o.refuseOtherCount(ctx)
		}
		s.FreeSlot = s.room(o.cfg)
		return
	}
	out.Err = out.Info.check(o.cfg.Slot, o.sql.Config().Database)
	if _, lost := out.Info.Lost(); lost && o.cfg.Snapshot == WhenNeeded && Reason(out.Err) == "slot_lost" {
		out.Missing, out.Err = true, nil // it will be replaced
	}
	out.Confirmed = pglogrepl.LSN(out.Info.ConfirmedFlushLSN)
	if out.Info.Active {
		pid, application, err := slotHolder(ctx, o.sql, o.cfg.Slot)
		if err != nil {
			out.Err = errors.Join(out.Err, err)
			return
		}
		out.Holder = fmt.Sprintf("%s (pid %d)", application, pid)
	}
	sample := Sample{Slot: out.Info}
	err := serverSide(ctx, o.sql, o.cfg, &sample)
	if err != nil {
		out.Err = errors.Join(out.Err, err)
		return
	}
	out.Retained = sample.Retained()
	if out.Younger, err = publicationYounger(ctx, o.sql, o.cfg); err != nil {
		out.Err = errors.Join(out.Err, err)
	}
	if out.Err == nil {
		out.Err = slotAhead(o.cfg.Slot, out.Confirmed, sample.ServerAt)
	}
}

// publicationYounger compares the transaction that wrote the publication's row with the
// slot's catalog_xmin. Adding a table or a comment does not write that row.
func publicationYounger(ctx context.Context, conn *pgx.Conn, cfg *Config) (younger bool, err error) {
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_catalog.pg_publication p, pg_catalog.pg_replication_slots s
		WHERE p.pubname = $1 AND s.slot_name = $2 AND age(p.xmin) <= age(s.catalog_xmin))`, cfg.Publication, cfg.Slot).Scan(&younger)
	if err != nil {
		return false, fmt.Errorf("compare publication %q with slot %q: %w", cfg.Publication, cfg.Slot, err)
	}
	return younger, nil
}

// room tells whether a slot, or those of all shards, can be made, and the marker of a
// snapshot beside each.
func (s *Survey) room(cfg *Config) error {
	need := max(1, s.toMake)
	if cfg.Snapshot.wanted() {
		need *= 2
	}
	if s.Slots.Used+need <= s.Slots.Most {
		return nil
	}
	return configuration("no_free_slot", &Remedy{Err: fmt.Errorf("%d of %d replication slots are in use, and %d more are needed", s.Slots.Used, s.Slots.Most, need),
		SQL: []string{fmt.Sprintf("ALTER SYSTEM SET max_replication_slots = %d", s.Slots.Used+need+spare)}, Then: "restart the server"})
}
