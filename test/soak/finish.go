package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/load"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

const (
	arriveTimeout  = 90 * time.Second // for all rows, once nothing is in their way
	confirmTimeout = 20 * time.Second // for the slot's position, and for readiness, after that
	redWithin      = 10 * time.Second // issue 5, item 9
)

// finish demands that all is well once the faults are over, and judges the records.
func (r *round) finish(ctx context.Context) {
	rows := r.committed(ctx)
	r.note("faults are over, %d rows are committed", len(rows))
	r.mustArrive(ctx, rows)
	r.mustConfirm(ctx)
	r.mustBeReady(ctx)
	r.mustStop(ctx)
	before := r.written(ctx)
	r.mustNotRepeat(ctx, before)
	r.judge(ctx)
	if n := r.report.Repeats(); n > 0 && r.plan.gentle() {
		r.fail("%d records were sent again though nothing broke", n)
	}
	if peak := r.relay.memory(); peak > memoryLimit && !r.ignoreMemory {
		r.fail("a relay used %.1f MB, want at most %.0f", float64(peak)/(1<<20), float64(memoryLimit)/(1<<20))
	}
}

// committed is what the table holds: the rows that must arrive, whatever the writers know.
func (r *round) committed(ctx context.Context) (rows []judge.Committed) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	err := poll.Until(ctx, 50*time.Millisecond, func(ctx context.Context) (err error) {
		rows, err = load.ReadTable(ctx, r.stand.postgres.DSN(r.name), "")
		return err
	})
	if err != nil {
		r.fail("%v", err)
	}
	return rows
}

// mustArrive waits for rows, but not for a relay that has ended.
func (r *round) mustArrive(ctx context.Context, rows []judge.Committed) {
	ctx, cancel := context.WithTimeout(ctx, arriveTimeout)
	defer cancel()
	proc := r.relay.current()
	over := make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-proc.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	if err := r.consumer.WaitFor(ctx, rows); err != nil {
		r.fail("%v", err)
	}
	cancel()
	<-over
}

// mustConfirm waits until the slot has reached the WAL's end as it is now.
func (r *round) mustConfirm(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, confirmTimeout)
	defer cancel()
	err := r.withConn(ctx, func(conn *pgx.Conn) error {
		var end string
		if err := conn.QueryRow(ctx, `SELECT pg_current_wal_lsn()::text`).Scan(&end); err != nil {
			return err
		}
		return poll.Until(ctx, 20*time.Millisecond, func(ctx context.Context) error {
			var missing int64
			err := conn.QueryRow(ctx, `SELECT pg_wal_lsn_diff($1::text::pg_lsn, confirmed_flush_lsn)::int8 FROM pg_replication_slots WHERE slot_name = $2`, end, r.slot).Scan(&missing)
			if err == nil && missing > 0 {
				err = fmt.Errorf("%d bytes before the WAL's end are not confirmed", missing)
			}
			return err
		})
	})
	if err != nil {
		r.fail("the slot did not reach the end: %v", err)
	}
}

func (r *round) mustBeReady(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, confirmTimeout)
	defer cancel()
	addr, err := r.relay.addr(ctx)
	if err == nil {
		_, err = procs.WaitStatus(ctx, addr, "/readyz", http.StatusOK)
	}
	if err != nil {
		r.fail("not ready though all is well: %v", err)
	}
}

// mustTurnRed demands that a relay shows that nothing flows, and that nobody is told to restart it.
func (r *round) mustTurnRed(ctx context.Context, f fault) {
	began := time.Now()
	addr, err := r.relay.addr(ctx)
	if err != nil {
		r.fail("%v", err)
		return
	}
	red, cancel := context.WithTimeout(ctx, redWithin)
	defer cancel()
	body, err := procs.WaitStatus(red, addr, "/readyz", http.StatusServiceUnavailable)
	if err != nil {
		r.fail("/readyz was not red within %v of %s: %v", redWithin, f.kind.name, err)
		return
	}
	r.note("red after %v: %s", time.Since(began).Round(time.Millisecond), body)
	if code, body, err := procs.Get(ctx, addr, "/livez"); err != nil || code != http.StatusOK {
		r.fail("/livez during %s: status %d, %v: %s", f.kind.name, code, err, body)
	}
}

func (r *round) mustStop(ctx context.Context) {
	began := time.Now()
	code, err := r.relay.stop(ctx)
	if err != nil || code != 0 {
		r.fail("SIGTERM: exit code %d, %v; last lines:\n%s", code, err, r.relay.current().Tail(10))
	}
	r.note("stopped in %v", time.Since(began).Round(time.Millisecond))
}

// mustNotRepeat starts the relay again after a clean stop and lets it relay a few rows: nothing else may be sent.
func (r *round) mustNotRepeat(ctx context.Context, before int) {
	if len(r.problems) > 0 {
		return // the stop was not clean, or nothing works anyway
	}
	if err := r.relay.start(); err != nil {
		r.fail("%v", err)
		return
	}
	const rows = 3
	err := r.withConn(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload)
			SELECT gen_random_uuid(), $1, 'after the stop', 'Changed', ('{"version": ' || n || '}')::jsonb FROM generate_series(1, $2::int) n`, r.types[0], rows)
		return err
	})
	if err != nil {
		r.fail("write rows after the stop: %v", err)
	}
	r.mustArrive(ctx, r.committed(ctx))
	r.mustStop(ctx)
	if after := r.written(ctx); after != before+rows {
		r.fail("%d records were sent after a clean stop, want %d", after-before, rows)
	}
}

// judge compares what the topics hold with what the table holds.
func (r *round) judge(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, arriveTimeout)
	defer cancel()
	written := r.written(ctx)
	err := poll.Until(ctx, 10*time.Millisecond, func(context.Context) error {
		if read, _ := r.consumer.Count(); read < written {
			return fmt.Errorf("%d of %d records are read", read, written)
		}
		return nil
	})
	if err != nil {
		r.fail("read the topics to their end: %v", err)
	}
	r.report = judge.Judge(r.committed(ctx), nil, r.consumer.Records())
	if r.plan.before > 0 {
		r.report.Inversions = nil // a snapshot's rows come as they are stored, and one that broke off is taken again
	}
	if err := r.report.AtLeastOnce(); err != nil {
		r.fail("%v", err)
	}
}

// written counts the records that the round has put into the topics.
func (r *round) written(ctx context.Context) int {
	ends, err := r.stand.kafka.EndOffsets(ctx, r.topics()...)
	if err != nil {
		r.fail("%v", err)
	}
	return sum(ends) - r.before
}

// sum adds offsets up.
func sum(offsets map[string]map[int32]int64) (n int) {
	for _, topic := range offsets {
		for _, offset := range topic {
			n += int(offset)
		}
	}
	return n
}
