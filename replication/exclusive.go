package replication

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// While a snapshot is taken nobody streams, so the slot itself keeps no second
// relay away. An advisory lock does, held by the connection that reads the
// snapshot. It is polled for: a session that waits for one holds back vacuum.

// lockKey is the lock's number, as SQL with the slot's name for $1.
const lockKey = `pg_catalog.hashtextextended('outbox-relay snapshot ' || $1, 0)`

// exclude takes the lock for the slot, for as long as conn lives, and reports
// who has it while it waits.
func exclude(ctx context.Context, conn *pgx.Conn, slot string, report Reporter) error {
	for {
		var mine bool
		if err := conn.QueryRow(ctx, `SELECT pg_catalog.pg_try_advisory_lock(`+lockKey+`)`, slot).Scan(&mine); err != nil {
			return fmt.Errorf("lock replication slot %q for a snapshot: %w", slot, err)
		}
		if mine {
			return nil
		}
		pid, application, err := lockHolder(ctx, conn, slot)
		if err != nil {
			return fmt.Errorf("ask who takes a snapshot through replication slot %q: %w", slot, err)
		}
		report.WaitingForSlot(slot, pid, application)
		if err := pause(ctx, takeoverPoll); err != nil {
			return err
		}
	}
}

// include gives the lock back.
func include(ctx context.Context, conn *pgx.Conn, slot string) error {
	if _, err := conn.Exec(ctx, `SELECT pg_catalog.pg_advisory_unlock(`+lockKey+`)`, slot); err != nil {
		return fmt.Errorf("unlock replication slot %q: %w", slot, err)
	}
	return nil
}

func lockHolder(ctx context.Context, conn *pgx.Conn, slot string) (pid int32, application string, err error) {
	err = conn.QueryRow(ctx, `SELECT coalesce(max(l.pid), 0), coalesce(max(a.application_name), '')
		FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
		WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
			AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
			AND (l.classid::int8 << 32) | l.objid::int8 = `+lockKey, slot).Scan(&pid, &application)
	return pid, application, err
}

// pause waits for d, or returns why ctx is done.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
