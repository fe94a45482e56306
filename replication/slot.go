package replication

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// SlotInfo is a row of pg_replication_slots. Columns that the server's version
// does not have stay zero.
type SlotInfo struct {
	Plugin             string  `json:"plugin"`
	Type               string  `json:"slot_type"`
	Database           string  `json:"database"`
	Temporary          bool    `json:"temporary"`
	TwoPhase           bool    `json:"two_phase"`
	Active             bool    `json:"active"`
	ActivePID          int32   `json:"active_pid"`
	RestartLSN         textLSN `json:"restart_lsn"`
	ConfirmedFlushLSN  textLSN `json:"confirmed_flush_lsn"`
	WALStatus          string  `json:"wal_status"`
	SafeWALSize        *int64  `json:"safe_wal_size"`       // bytes; nil is unlimited
	InvalidationReason string  `json:"invalidation_reason"` // 17 and later
	Conflicting        bool    `json:"conflicting"`         // 16 and later
	Failover           bool    `json:"failover"`            // 17 and later
}

// textLSN reads PostgreSQL's X/X notation, or null as zero.
type textLSN pglogrepl.LSN

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *textLSN) UnmarshalText(text []byte) error {
	lsn, err := pglogrepl.ParseLSN(string(text))
	*l = textLSN(lsn)
	return err
}

// findSlot looks a slot up; a missing one is for the caller to judge. The row
// travels as JSON so that one query serves servers with and without the newer
// columns.
func findSlot(ctx context.Context, conn *pgx.Conn, name string) (info SlotInfo, found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	var row []byte
	err = conn.QueryRow(ctx, `SELECT to_jsonb(s)::text FROM pg_catalog.pg_replication_slots s WHERE slot_name = $1`, name).Scan(&row)
	if errors.Is(err, pgx.ErrNoRows) {
		return info, false, nil
	}
	if err == nil {
		err = json.Unmarshal(row, &info)
	}
	if err != nil {
		return info, false, fmt.Errorf("look up replication slot %q: %w", name, err)
	}
	return info, true, nil
}

// Lost reports that the server no longer has the WAL this slot needs, and why.
func (s *SlotInfo) Lost() (reason string, lost bool) {
	switch {
	case s.InvalidationReason != "":
		return s.InvalidationReason, true
	case s.WALStatus == "lost":
		return "wal_status is lost", true
	case s.Conflicting:
		return "conflicting with recovery", true
	}
	return "", false
}

// check refuses a slot that this relay must not read.
func (s *SlotInfo) check(name, database string) error {
	if s.Type != "logical" {
		return configuration("slot_type", fmt.Errorf("replication slot %q is %s, not logical; name another with -slot.name", name, s.Type))
	}
	if s.Plugin != "pgoutput" {
		return configuration("slot_plugin", fmt.Errorf("replication slot %q uses output plugin %q, not pgoutput; name another with -slot.name", name, s.Plugin))
	}
	if s.Database != database {
		return configuration("slot_database", fmt.Errorf("replication slot %q belongs to database %q, not %q; connect to that one or name another with -slot.name", name, s.Database, database))
	}
	if s.TwoPhase {
		return configuration("slot_two_phase", fmt.Errorf("replication slot %q was made with two_phase, which this relay does not read; make one without it", name))
	}
	if reason, lost := s.Lost(); lost {
		return slotLost(name, reason)
	}
	return nil
}

func slotLost(name, reason string) error {
	return human("slot_lost", fmt.Errorf("replication slot %q is lost (%s): the server has removed WAL that was not relayed yet, so events are missing. "+
		"Find the rows whose events did not arrive, send them again, then drop the slot (SELECT pg_drop_replication_slot(%s)) and start once with -slot.create. "+
		"Raise max_slot_wal_keep_size so that it does not happen again", name, reason, quoteLiteral(name)))
}

func slotMissing(name string) error {
	return human("slot_missing", fmt.Errorf("replication slot %q does not exist, and nothing proves that this is the first start: it may have been dropped, "+
		"or lost in a failover or restore, and events committed since then would be skipped without a trace. "+
		"If no event can be missing, or those that are have been sent again, start once with -slot.create", name))
}

// createSlot makes a slot. The server waits for every transaction that is running
// and has written; report is told who they are while it waits. What is exported
// with snapshot "export" (else "nothing") lasts until the next command on conn.
func createSlot(ctx context.Context, conn *pgconn.PgConn, cfg *Config, name, snapshot string, report func(ctx context.Context)) (at pglogrepl.LSN, exported string, err error) {
	ctx, cancel := context.WithTimeout(ctx, cfg.CreateTimeout)
	defer cancel()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		report(ctx)
	}()
	result, err := pglogrepl.ParseCreateReplicationSlot(conn.Exec(ctx, createSlotCommand(cfg, name, snapshot)))
	timedOut := ctx.Err() != nil
	cancel()
	<-watched
	switch {
	case err != nil && timedOut:
		return 0, "", fmt.Errorf("create replication slot %q: the server was still waiting for running transactions after %s; end them and it goes on: %w", name, cfg.CreateTimeout, context.DeadlineExceeded)
	case err != nil && Reason(err) == "object_state": // a setting of the server, where no slot is in question
		return 0, "", configuration("object_state", fmt.Errorf("create replication slot %q: %w%s", name, err, createHint(err)))
	case err != nil:
		return 0, "", fmt.Errorf("create replication slot %q: %w%s", name, err, createHint(err))
	}
	at, err = pglogrepl.ParseLSN(result.ConsistentPoint)
	return at, result.SnapshotName, err
}

// createSlotCommand uses the form that 14 understands wherever it says enough.
func createSlotCommand(cfg *Config, name, snapshot string) string {
	options := map[string]string{"nothing": "NOEXPORT_SNAPSHOT", "export": "EXPORT_SNAPSHOT"}[snapshot]
	if cfg.Failover && name == cfg.Slot {
		options = fmt.Sprintf("(SNAPSHOT '%s', FAILOVER)", snapshot)
	}
	return fmt.Sprintf("CREATE_REPLICATION_SLOT %s LOGICAL pgoutput %s", quoteIdent(name), options)
}

func createHint(err error) string {
	switch Reason(err) {
	case "object_state":
		return "; logical decoding needs wal_level = logical, which takes a restart of the server"
	case "no_free_slot":
		return "; raise max_replication_slots (a restart) or drop a slot that nobody uses"
	}
	return ""
}

// blocker is a transaction that a slot's creation waits for.
type blocker struct {
	PID         int32
	Application string
	State       string
	Age         time.Duration
}

// oldestWriter finds the oldest running transaction that has written.
func oldestWriter(ctx context.Context, conn *pgx.Conn) (blocker, bool, error) {
	var b blocker
	var seconds float64
	err := conn.QueryRow(ctx, `SELECT pid, coalesce(application_name, ''), coalesce(state, ''), coalesce(extract(epoch FROM clock_timestamp() - xact_start), 0)::float8
		FROM pg_catalog.pg_stat_activity WHERE backend_xid IS NOT NULL ORDER BY xact_start LIMIT 1`).Scan(&b.PID, &b.Application, &b.State, &seconds)
	if errors.Is(err, pgx.ErrNoRows) {
		return b, false, nil
	}
	b.Age = time.Duration(seconds * float64(time.Second)).Round(time.Second)
	return b, err == nil, err
}

// slotHolder names the process that reads the slot now.
func slotHolder(ctx context.Context, conn *pgx.Conn, slot string) (pid int32, application string, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	err = conn.QueryRow(ctx, `SELECT coalesce(s.active_pid, 0), coalesce(a.application_name, '')
		FROM pg_catalog.pg_replication_slots s LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = s.active_pid
		WHERE s.slot_name = $1`, slot).Scan(&pid, &application)
	return pid, application, err
}
