package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/proof"
	"github.com/outbox-relay/outbox-relay/replication"
)

// Slot is a replication slot and who reads it.
type Slot struct {
	replication.SlotInfo
	Name   string `json:"slot_name"`
	Synced bool   `json:"synced"` // 17 and later

	Stamp  string `json:"-"` // when its statistics were last reset
	Sender string `json:"-"` // the walsender that streams it, by process and start; empty if none is seen
	Query  string `json:"-"` // the walsender's START_REPLICATION
}

// stampVersion is the first server version whose statistics of a slot are sure to go with it. Before it they were
// sent to a collector by datagrams, which may get lost.
const stampVersion = 150000

// Slots returns the slots of the server by name. They are read before the stamps, and these before the senders:
// a stamp that is still there then was the slot's when the slot was read.
func Slots(ctx context.Context, conn *pgx.Conn, server Server) (map[string]*Slot, error) {
	slots := map[string]*Slot{}
	var text []byte
	err := each(ctx, conn, []any{&text}, func() error {
		var s Slot
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		slots[s.Name] = &s
		return nil
	}, `SELECT to_jsonb(s)::text FROM pg_catalog.pg_replication_slots s`)
	if err != nil {
		return nil, fmt.Errorf("look up the replication slots: %w", err)
	}
	if server.Version >= stampVersion {
		if err := readStamps(ctx, conn, slots); err != nil {
			return nil, err
		}
	}
	return slots, readSenders(ctx, conn, slots)
}

func readStamps(ctx context.Context, conn *pgx.Conn, slots map[string]*Slot) error {
	var name, stamp string
	err := each(ctx, conn, []any{&name, &stamp}, func() error {
		if s := slots[name]; s != nil {
			s.Stamp = stamp
		}
		return nil
	}, `SELECT slot_name::text, stats_reset::text FROM pg_catalog.pg_stat_replication_slots WHERE stats_reset IS NOT NULL`)
	if err != nil {
		return fmt.Errorf("look up the statistics of the replication slots: %w", err)
	}
	return nil
}

// readSenders adds the walsenders as far as this role may see them (pg_read_all_stats).
func readSenders(ctx context.Context, conn *pgx.Conn, slots map[string]*Slot) error {
	var pid int32
	var sender, query string
	err := each(ctx, conn, []any{&pid, &sender, &query}, func() error {
		for _, s := range slots {
			if s.Active && s.ActivePID == pid {
				s.Sender, s.Query = sender, query
			}
		}
		return nil
	}, `SELECT pid, pid || ' ' || backend_start::text || ' ' || query_start::text, query FROM pg_catalog.pg_stat_activity
		WHERE backend_type = 'walsender' AND state = 'active' AND query ILIKE 'START_REPLICATION%' AND backend_start IS NOT NULL AND query_start IS NOT NULL`)
	if err != nil {
		return fmt.Errorf("look up the readers of the replication slots: %w", err)
	}
	return nil
}

// each runs a query and calls do for each row that was scanned into dst.
func each(ctx context.Context, conn *pgx.Conn, dst []any, do func() error, sql string, args ...any) error {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, dst, do)
	return err
}

// Confirmed is confirmed_flush_lsn.
func (s *Slot) Confirmed() pglogrepl.LSN { return pglogrepl.LSN(s.ConfirmedFlushLSN) }

// Sighting is what the proof needs of a slot that was read after server was.
func (s *Slot) Sighting(server Server) proof.Sighting {
	return proof.Sighting{
		System: server.System, Timeline: server.Timeline, Flushed: server.Flushed,
		Restart: pglogrepl.LSN(s.RestartLSN), Confirmed: s.Confirmed(), Stamp: s.Stamp, Sender: s.Sender, Synced: s.Synced,
	}
}

// CheckSlot refuses a slot whose confirmed position proves nothing about this database's rows. slot is nil if there is
// none of the name.
func CheckSlot(name, database string, slot *Slot) error {
	if slot == nil {
		return human("slot_missing", "replication slot %q does not exist: nothing shows which rows were relayed, so none is deleted. "+
			"If it was dropped or lost in a failover, events may be missing: let the relay's own message guide you. If it goes by another name, give that with -slot.name", name)
	}
	if reason, lost := slot.Lost(); lost {
		return human("slot_lost", "replication slot %q is lost (%s): the server has removed WAL that was not relayed yet. Nothing is deleted: "+
			"the rows whose events are missing are still in the table", name, reason)
	}
	switch {
	case slot.Type != "logical":
		return configuration("slot_type", "replication slot %q is %s, not logical: it says nothing about events; name another with -slot.name", name, slot.Type)
	case slot.Database != database:
		return configuration("slot_database", "replication slot %q belongs to database %q, not %q; connect to that one or name another with -slot.name", name, slot.Database, database)
	case slot.Plugin != "pgoutput":
		return configuration("slot_plugin", "replication slot %q uses output plugin %q, for which no publication decides what is sent; name one of pgoutput with -slot.name", name, slot.Plugin)
	case slot.Temporary:
		return configuration("slot_temporary", "replication slot %q is temporary: it goes with its connection, and its progress with it; name a permanent one with -slot.name", name)
	case slot.ConfirmedFlushLSN == 0:
		return transient("slot_unready", "replication slot %q is still being made", name)
	}
	return nil
}

// Stamp marks a slot by resetting its statistics. It needs EXECUTE on pg_stat_reset_replication_slot.
func Stamp(ctx context.Context, conn *pgx.Conn, name string) error {
	if _, err := conn.Exec(ctx, `SELECT pg_catalog.pg_stat_reset_replication_slot($1)`, name); err != nil {
		return fmt.Errorf("stamp replication slot %q: %w", name, err)
	}
	return nil
}

// MayStamp reports whether the server and this role's privileges allow Stamp.
func MayStamp(ctx context.Context, conn *pgx.Conn, server Server) (bool, error) {
	if server.Version < stampVersion {
		return false, nil
	}
	var may bool
	err := conn.QueryRow(ctx, `SELECT has_function_privilege('pg_catalog.pg_stat_reset_replication_slot(text)', 'EXECUTE')`).Scan(&may)
	if err != nil {
		return false, fmt.Errorf("ask for the privilege to stamp slots: %w", err)
	}
	return may, nil
}
