package catalog

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/proof"
)

// Server is where the server is.
type Server struct {
	System   string // system identifier
	Timeline string // the first eight digits of the names of the WAL files that it writes
	Flushed  pglogrepl.LSN
	Version  int // server_version_num
	Standby  bool
	Now      time.Time
}

// ReadServer asks for it. A standby is an error: what it says of slots is not the primary's truth.
func ReadServer(ctx context.Context, conn *pgx.Conn) (Server, error) {
	var s Server
	err := conn.QueryRow(ctx, `SELECT pg_is_in_recovery(), current_setting('server_version_num')::int4, (pg_control_system()).system_identifier::text, clock_timestamp()`).
		Scan(&s.Standby, &s.Version, &s.System, &s.Now)
	if err != nil {
		return s, fmt.Errorf("ask the server who it is: %w", err)
	}
	if s.Standby {
		return s, transient("standby", "connected to a standby; add target_session_attrs=read-write to the connection string so that the primary is chosen")
	}
	var flushed string
	err = conn.QueryRow(ctx, `SELECT left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), pg_current_wal_flush_lsn()::text`).Scan(&s.Timeline, &flushed)
	if err != nil {
		return s, fmt.Errorf("ask the server where it is: %w", err)
	}
	s.Flushed, err = pglogrepl.ParseLSN(flushed)
	return s, err
}

// FreshXID takes a transaction number: every one above it is given out later.
func FreshXID(ctx context.Context, conn *pgx.Conn) (proof.XID, error) {
	return readXID(ctx, conn, "pg_current_xact_id()")
}

// Horizon is the number below which every transaction has ended.
func Horizon(ctx context.Context, conn *pgx.Conn) (proof.XID, error) {
	return readXID(ctx, conn, "pg_snapshot_xmin(pg_current_snapshot())")
}

// NewestXID is a number that the next transaction has, or one above.
func NewestXID(ctx context.Context, conn *pgx.Conn) (proof.XID, error) {
	return readXID(ctx, conn, "pg_snapshot_xmax(pg_current_snapshot())")
}

func readXID(ctx context.Context, conn *pgx.Conn, what string) (proof.XID, error) {
	var text string
	if err := conn.QueryRow(ctx, "SELECT "+what+"::text").Scan(&text); err != nil {
		return 0, fmt.Errorf("ask for a transaction number (%s): %w", what, err)
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return proof.XID(n), err
}

// InsertLSN is where the server inserts WAL now.
func InsertLSN(ctx context.Context, conn *pgx.Conn) (pglogrepl.LSN, error) {
	var text string
	if err := conn.QueryRow(ctx, "SELECT pg_current_wal_insert_lsn()::text").Scan(&text); err != nil {
		return 0, fmt.Errorf("ask for the WAL position: %w", err)
	}
	return pglogrepl.ParseLSN(text)
}

// Clock is the server's.
func Clock(ctx context.Context, conn *pgx.Conn) (now time.Time, err error) {
	if err = conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now); err != nil {
		return now, fmt.Errorf("ask for the time: %w", err)
	}
	return now, nil
}
