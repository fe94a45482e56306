package replication

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pglogrepl"
)

// prepareShards makes, on a first start, the publications and slots of all shards, all
// slots at one position: the rows of a shard whose relay is started later wait in its
// slot. No slot is read before all are there. Shards that start at the same moment take
// turns.
func (o *opener) prepareShards(ctx context.Context) error {
	if !o.cfg.Shard.divided() {
		return nil
	}
	_, plan, err := o.planShards(ctx)
	if err != nil || plan == useShards || o.last.SystemID != "" {
		return err
	}
	all := ShardName(o.cfg.Shard.slot, o.cfg.Shard.Count-1, o.cfg.Shard.Count) + " and the other shards"
	if err := exclude(ctx, o.sql, all, o.report); err != nil {
		return err
	}
	err = o.makeShards(ctx)
	return errors.Join(err, include(context.WithoutCancel(ctx), o.sql, all))
}

func (o *opener) planShards(ctx context.Context) (*shardSet, shardPlan, error) {
	set, err := bounded(ctx, func(ctx context.Context) (*shardSet, error) { return readShardSet(ctx, o.sql, o.cfg) })
	if err != nil {
		return nil, useShards, err
	}
	plan, err := set.plan(o.last)
	if !errors.Is(err, errUnpublished) {
		return set, plan, err
	}
	tables, err := bounded(ctx, func(ctx context.Context) ([]table, error) { return findTables(ctx, o.sql, o.cfg) })
	if err != nil {
		return nil, useShards, err
	}
	return set, useShards, set.incompletePublications(tables)
}

// makeShards does what is due after the other shards had their turn.
func (o *opener) makeShards(ctx context.Context) error {
	set, plan, err := o.planShards(ctx)
	if err != nil || plan == useShards {
		return err
	}
	tables, err := bounded(ctx, func(ctx context.Context) ([]table, error) { return findTables(ctx, o.sql, o.cfg) })
	if err != nil {
		return err
	}
	if plan == createShards {
		if err := createPublication(ctx, o.sql, o.cfg, tables); err != nil {
			return err
		}
	}
	if err := o.checkShapes(ctx, set, tables); err != nil {
		return err
	}
	if err := o.refuseUnroutable(ctx); err != nil {
		return err
	}
	if err := o.makeSlots(ctx, set); err != nil {
		return err
	}
	return o.noteShards(ctx, set)
}

// checkShapes looks at the publications of all shards, because those that somebody made
// by hand may not fit together.
func (o *opener) checkShapes(ctx context.Context, set *shardSet, tables []table) error {
	var errs []error
	for _, shard := range set.shards {
		pub, err := readPublication(ctx, o.sql, shard.Publication)
		if err != nil {
			return fmt.Errorf("look up publication %q: %w", shard.Publication, err)
		}
		for i := range tables {
			tables[i].published, tables[i].rowFilter = false, ""
		}
		if err := markPublished(ctx, o.sql, shard.Publication, tables); err != nil {
			return err
		}
		errs = append(errs, checkPublication(shard, pub, tables))
	}
	return errors.Join(errs...)
}

// makeSlots makes the slots that are missing at the position of one that is there, and
// beside each, if a snapshot is wanted, first the marker that it was not taken yet.
func (o *opener) makeSlots(ctx context.Context, set *shardSet) error {
	from, at := set.oldest(), pglogrepl.LSN(0)
	if from != "" {
		at = pglogrepl.LSN(set.slots[from].ConfirmedFlushLSN)
	} else {
		if from = o.cfg.Slot; o.cfg.Snapshot.wanted() {
			from = markerName(from)
		}
		var err error
		if err = o.dropLeftover(ctx, from); err != nil {
			return err
		}
		if at, _, err = createSlot(ctx, o.repl, o.cfg, from, "nothing", o.reportBlockers); err != nil {
			return err
		}
	}
	for _, shard := range set.shards {
		if _, found := set.slots[shard.Slot]; found {
			continue
		}
		if err := o.copyTo(ctx, shard.Slot, from); err != nil {
			return errors.Join(err, o.dropMade(ctx, set))
		}
		if !o.cfg.Snapshot.wanted() {
			o.report.SlotCreated(shard.Slot, at, -1)
		}
	}
	return nil
}

// dropLeftover clears away the marker of a start that was broken off before any slot was
// made.
func (o *opener) dropLeftover(ctx context.Context, name string) error {
	if name == o.cfg.Slot {
		return nil
	}
	return dropSlot(ctx, o.sql, name)
}

// dropMade takes back a first start that has failed halfway, for instance for lack of
// max_replication_slots: the next one finds nothing, and not a set of which some are there.
func (o *opener) dropMade(ctx context.Context, set *shardSet) error {
	if len(set.slots) > 0 {
		return nil // it completes what an earlier one has made
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), describeTimeout)
	defer cancel()
	var errs []error
	for _, shard := range set.shards {
		errs = append(errs, dropSlot(ctx, o.sql, shard.Slot), dropSlot(ctx, o.sql, markerName(shard.Slot)))
	}
	return errors.Join(errs...)
}

// copyTo makes one shard's slot, and its marker before it.
func (o *opener) copyTo(ctx context.Context, slot, from string) error {
	names := []string{slot}
	if o.cfg.Snapshot.wanted() {
		names = []string{markerName(slot), slot}
	}
	for _, name := range names {
		_, found, err := findSlot(ctx, o.sql, name)
		if err != nil {
			return err
		}
		if found {
			continue
		}
		if err := copySlot(ctx, o.sql, from, name); err != nil {
			return err
		}
	}
	return nil
}

// noteShards ends the first start for all shards at once.
func (o *opener) noteShards(ctx context.Context, set *shardSet) error {
	tx, err := o.sql.Begin(ctx)
	if err != nil {
		return fmt.Errorf("note on the publications of the shards that their slots were made: %w", err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // after a commit there is nothing to roll back
	for _, shard := range set.shards {
		if err := noteSlot(ctx, tx.Conn(), shard); err != nil {
			if Reason(err) == "privilege" {
				return nil // somebody else made the publications
			}
			return err
		}
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("note on the publications of the shards that their slots were made: %w", err)
	}
	return nil
}

// siblings looks at the other shards. What is wrong with one is told like what is wrong
// with the own publication, because new rows are not relayed.
func (m *monitor) siblings(ctx context.Context) error {
	if !m.cfg.Shard.divided() {
		return nil
	}
	set, err := readShardSet(ctx, m.conn, m.cfg)
	if err != nil {
		return err
	}
	var problem error
	m.unread, problem = set.siblings()
	if m.tables == nil {
		m.tables = problem
	}
	return nil
}
