package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

// slotState is what the server says about the rig's slot.
type slotState struct {
	active      bool
	pid         int32
	application string
	walStatus   string
	unconfirmed int64 // bytes of WAL since confirmed_flush_lsn
	retained    int64 // bytes of WAL since restart_lsn
	confirmed   string
}

func (r *rig) slotState(ctx context.Context, conn *pgx.Conn) (slotState, error) {
	var s slotState
	err := conn.QueryRow(ctx, `SELECT s.active, coalesce(s.active_pid, 0), coalesce(a.application_name, ''), coalesce(s.wal_status, ''),
			coalesce(pg_current_wal_lsn() - s.confirmed_flush_lsn, -1)::bigint, coalesce(pg_current_wal_lsn() - s.restart_lsn, -1)::bigint,
			coalesce(s.confirmed_flush_lsn::text, '')
		FROM pg_replication_slots s LEFT JOIN pg_stat_activity a ON a.pid = s.active_pid WHERE s.slot_name = $1`, r.slot).
		Scan(&s.active, &s.pid, &s.application, &s.walStatus, &s.unconfirmed, &s.retained, &s.confirmed)
	return s, wrap(err, "look up slot %s", r.slot)
}

// slotNow is slotState that fails the test instead of returning an error.
func (r *rig) slotNow(t testing.TB, conn *pgx.Conn) slotState {
	t.Helper()
	s, err := r.slotState(wait.Context(t, startTimeout), conn)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// awaitSlot waits until the slot is as wanted.
func (r *rig) awaitSlot(t testing.TB, conn *pgx.Conn, within time.Duration, what string, wanted func(slotState) bool) {
	t.Helper()
	eventually(t, within, func(ctx context.Context) error {
		s, err := r.slotState(ctx, conn)
		if err == nil && !wanted(s) {
			err = errors.New("it is not so yet")
		}
		return wrap(err, "wait until the slot is %s (is %+v)", what, s)
	})
}

// confirmedPast reports whether the slot's confirmed position is at or behind lsn.
func (r *rig) confirmedPast(ctx context.Context, conn *pgx.Conn, lsn string) (bool, error) {
	var past bool
	err := conn.QueryRow(ctx, `SELECT confirmed_flush_lsn >= $2::text::pg_lsn FROM pg_replication_slots WHERE slot_name = $1`, r.slot, lsn).Scan(&past)
	return past, wrap(err, "compare the position of slot %s with %s", r.slot, lsn)
}

// walEnd is where the server writes now.
func walEnd(t testing.TB, conn *pgx.Conn) string {
	t.Helper()
	return scalar[string](t, conn, `SELECT pg_current_wal_insert_lsn()::text`)
}

// scalar runs a query with one result.
func scalar[T any](t testing.TB, conn *pgx.Conn, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := conn.QueryRow(wait.Context(t, time.Minute), sql, args...).Scan(&v); err != nil {
		t.Fatal(fmt.Errorf("query %q: %w", sql, err))
	}
	return v
}

// run runs a statement on a connection that is open already.
func run(t testing.TB, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(wait.Context(t, 2*time.Minute), sql, args...); err != nil {
		t.Fatalf("run %q: %v", sql, err)
	}
}
