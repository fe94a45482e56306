package replication

import (
	"context"
	"fmt"

	"github.com/jackc/pglogrepl"
)

// slots are the relay's slot and the marker of an unfinished snapshot.
type slots struct {
	own, marker       SlotInfo
	hasOwn, hasMarker bool
}

func (o *opener) readSlots(ctx context.Context) (s slots, err error) {
	if s.own, s.hasOwn, err = findSlot(ctx, o.sql, o.cfg.Slot); err != nil {
		return s, err
	}
	s.marker, s.hasMarker, err = findSlot(ctx, o.sql, markerName(o.cfg.Slot))
	return s, err
}

// complete reports whether the slot can be streamed without a snapshot.
func (s *slots) complete(mode SnapshotMode) bool {
	_, lost := s.own.Lost()
	return s.hasOwn && !s.hasMarker && mode != Always && !(lost && mode == WhenNeeded)
}

// prepareSnapshot makes sure of the slot as the snapshot mode wants it, and leaves
// a snapshot to be read if one is due.
func (o *opener) prepareSnapshot(ctx context.Context, firstStart bool) error {
	s, err := o.readSlots(ctx)
	if err != nil {
		return err
	}
	if s.complete(o.cfg.Snapshot) {
		return o.useSlot(ctx, s.own)
	}
	if err := exclude(ctx, o.sql, o.cfg.Slot, o.report); err != nil {
		return err
	}
	// Another relay may have finished it meanwhile.
	if s, err = o.readSlots(ctx); err != nil {
		return err
	}
	if s.complete(o.cfg.Snapshot) {
		if err := include(ctx, o.sql, o.cfg.Slot); err != nil {
			return err
		}
		return o.useSlot(ctx, s.own)
	}
	if err := o.dropLost(ctx, &s); err != nil {
		return err
	}
	if !s.hasOwn && !s.hasMarker {
		return o.createWithSnapshot(ctx, firstStart)
	}
	return o.resnapshot(ctx, &s)
}

// dropLost clears slots away that cannot be read any more, in the mode that wants
// a new one then.
func (o *opener) dropLost(ctx context.Context, s *slots) error {
	_, lost := s.own.Lost()
	_, markerLost := s.marker.Lost()
	if !lost && !markerLost || o.cfg.Snapshot != WhenNeeded {
		return nil
	}
	for _, name := range []string{o.cfg.Slot, markerName(o.cfg.Slot)} {
		if err := dropSlot(ctx, o.sql, name); err != nil {
			return err
		}
	}
	*s = slots{}
	return nil
}

// createWithSnapshot makes the slot and a snapshot that joins it without gap or
// overlap: the marker's creation exports it.
func (o *opener) createWithSnapshot(ctx context.Context, firstStart bool) error {
	if err := o.mayCreate(firstStart, o.cfg.Snapshot == WhenNeeded); err != nil {
		return err
	}
	if err := o.refuseUnroutable(ctx); err != nil {
		return err
	}
	tables, err := o.readable(ctx)
	if err != nil {
		return err
	}
	lsn, exported, err := createSlot(ctx, o.repl, o.cfg, markerName(o.cfg.Slot), "export", o.reportBlockers)
	if err != nil {
		return err
	}
	if err := copyMarker(ctx, o.sql, o.cfg.Slot); err != nil {
		return err
	}
	if firstStart {
		if err := noteSlot(ctx, o.sql, o.cfg); err != nil {
			return err
		}
	}
	if err := beginSnapshot(ctx, o.sql, exported); err != nil {
		return err
	}
	if err := o.failover(ctx, SlotInfo{}); err != nil {
		return err
	}
	o.snapshot = &Snapshot{cfg: o.cfg, conn: o.sql, tables: tables, lsn: lsn}
	o.report.SnapshotBegins(o.cfg.Slot, lsn, false)
	return nil
}

// resnapshot takes a snapshot of now through a slot that exists already. Rows
// committed since the slot's position are in both.
func (o *opener) resnapshot(ctx context.Context, s *slots) error {
	info := s.own
	if !s.hasOwn {
		info = s.marker
	}
	if err := info.check(o.cfg.Slot, o.sql.Config().Database); err != nil {
		return err
	}
	if o.unnoted {
		if err := o.note(ctx); err != nil {
			return err
		}
	}
	tables, err := o.readable(ctx)
	if err != nil {
		return err
	}
	if !s.hasOwn {
		if err := copyMarker(ctx, o.sql, o.cfg.Slot); err != nil {
			return err
		}
	}
	if err := o.awaitInactive(ctx); err != nil {
		return err
	}
	if err := o.failover(ctx, s.own); err != nil {
		return err
	}
	if err := beginSnapshot(ctx, o.sql, ""); err != nil {
		return err
	}
	lsn := pglogrepl.LSN(info.ConfirmedFlushLSN)
	o.snapshot = &Snapshot{cfg: o.cfg, conn: o.sql, tables: tables, lsn: lsn}
	o.report.SnapshotBegins(o.cfg.Slot, lsn, true)
	return nil
}

// awaitInactive waits while another process streams the slot.
func (o *opener) awaitInactive(ctx context.Context) error {
	for {
		pid, application, err := slotHolder(ctx, o.sql, o.cfg.Slot)
		if err != nil {
			return fmt.Errorf("ask who holds replication slot %q: %w", o.cfg.Slot, err)
		}
		if pid == 0 {
			return nil
		}
		o.report.WaitingForSlot(o.cfg.Slot, pid, application)
		if err := pause(ctx, takeoverPoll); err != nil {
			return err
		}
	}
}

// readable returns the outbox tables, or what keeps the role from reading them.
func (o *opener) readable(ctx context.Context) ([]table, error) {
	tables, err := findTables(ctx, o.sql, o.cfg)
	if err != nil {
		return nil, err
	}
	var grants []string
	for i := range tables {
		t := &tables[i]
		var usage, read bool
		err := o.sql.QueryRow(ctx, `SELECT has_schema_privilege(n.oid, 'USAGE'), has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
			FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2`, t.schema, t.name).Scan(&usage, &read)
		if err != nil {
			return nil, fmt.Errorf("look up the privileges on %s: %w", t.quoted(), err)
		}
		if !usage {
			grants = append(grants, fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s", quoteIdent(t.schema), quoteIdent(o.sql.Config().User)))
		}
		if !read {
			grants = append(grants, fmt.Sprintf("GRANT SELECT ON %s TO %s", t.quoted(), quoteIdent(o.sql.Config().User)))
		}
	}
	if len(grants) > 0 {
		return nil, configuration("privilege", remedy(fmt.Errorf("snapshot.mode %s reads the outbox table, which this role may not", o.cfg.Snapshot), grants...))
	}
	return tables, nil
}

// noSnapshotLeft refuses to stream a slot whose snapshot is unfinished in a mode
// that would not finish it: the rows would never be relayed.
func (o *opener) noSnapshotLeft(ctx context.Context) error {
	_, found, err := findSlot(ctx, o.sql, markerName(o.cfg.Slot))
	if err != nil || !found {
		return err
	}
	return configuration("snapshot_unfinished", fmt.Errorf("the snapshot through replication slot %q was not finished: start with -snapshot.mode initial to take it again, "+
		"or give it up: SELECT pg_drop_replication_slot(%s)", o.cfg.Slot, quoteLiteral(markerName(o.cfg.Slot))))
}
