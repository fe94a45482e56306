package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/observe"
	"github.com/outbox-relay/outbox-relay/test/bench/internal/stats"
)

// once is a run of one contender in which rows flow. It notes what it measures.
type once func(ctx context.Context, db *database, c contender, note func(metric, float64)) error

// eachFlow runs do for each contender in each round, in turns.
func (s *stand) eachFlow(ctx context.Context, db *database, title string, do once) (*board, []error) {
	contenders := s.streamers()
	b := newBoard(title, s.plan.flowRounds, contenders)
	var failures []error
	for round := range s.plan.flowRounds {
		for _, c := range stats.Rotate(contenders, round) {
			if ctx.Err() != nil {
				return b, failures
			}
			ctx, cancel := context.WithTimeoutCause(ctx, flowTimeout+s.plan.latency, errors.New("it took too long"))
			err := do(ctx, db, c, func(m metric, value float64) { b.set(c.name, m, round, value) })
			cancel()
			if err != nil {
				failures = append(failures, fmt.Errorf("%s, round %d: %s: %w", title, round+1, c.name, err))
				s.say("%s, round %d: %s failed", title, round+1, c.name)
				continue
			}
			s.say("%s, round %d: %s", title, round+1, c.name)
		}
	}
	return b, failures
}

// warmUp is the share of a run that measures latency before anything counts.
const warmUp = 0.2

// latency measures the time from commit to consumed at a rate of rows per second.
func (s *stand) latency(rows int) once {
	return func(ctx context.Context, db *database, c contender, note func(metric, float64)) (err error) {
		total := int(s.plan.latency.Seconds() * float64(rows))
		f, err := s.newFlow(ctx, db, c, total+1)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.close()) }()
		if err := f.begin(ctx); err != nil {
			return err
		}
		start := time.Now()
		if err := f.writer.run(ctx, rows, total+1); err != nil {
			return err
		}
		elapsed := time.Since(start)
		if err := f.await(ctx, allArrived); err != nil {
			return err
		}
		latencies := f.ledger.Latencies(1 + int(float64(total)*warmUp))
		note(median, stats.Percentile(latencies, 0.50).Seconds())
		note(tail, stats.Percentile(latencies, 0.99).Seconds())
		note(reached, float64(total)/elapsed.Seconds())
		return nil
	}
}

// begin starts the contender and waits until a first row has come through.
func (f *flow) begin(ctx context.Context) error {
	if err := f.start(); err != nil {
		return err
	}
	if err := f.writer.one(ctx); err != nil {
		return err
	}
	return f.await(ctx, allArrived)
}

// firstRecord measures the time from the start of a contender, for which one row waits, to that row's arrival.
func (s *stand) firstRecord(ctx context.Context, db *database, c contender, note func(metric, float64)) (err error) {
	f, err := s.newFlow(ctx, db, c, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	if err := f.writer.one(ctx); err != nil {
		return err
	}
	start := time.Now()
	if err := f.start(); err != nil {
		return err
	}
	if err := f.await(ctx, allArrived); err != nil {
		return err
	}
	first, _ := f.ledger.FirstSince(0) // it is there
	note(took, first.Sub(start).Seconds())
	return nil
}

const (
	recoveryRate   = 500              // rows per second
	recoveryBefore = 2 * recoveryRate // rows before the kill
)

// recovery measures the time from a contender's SIGKILL, after which it is started again at once, to the arrival of the
// first row that was committed after the SIGKILL. All rows must arrive in the end.
func (s *stand) recovery(ctx context.Context, db *database, c contender, note func(metric, float64)) (err error) {
	f, err := s.newFlow(ctx, db, c, recoveryRate*int(flowTimeout.Seconds()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	if err := f.begin(ctx); err != nil {
		return err
	}
	writing, stop := context.WithCancel(ctx)
	var group errgroup.Group
	group.Go(func() error { return f.writer.run(writing, recoveryRate, math.MaxInt) })
	elapsed, err := f.crash(ctx)
	stop()
	if err := errors.Join(err, group.Wait()); err != nil {
		return err
	}
	note(took, elapsed.Seconds())
	return f.await(ctx, allArrived)
}

// crash waits until rows flow, kills the contender, starts it again, and waits until they flow again.
func (f *flow) crash(ctx context.Context) (time.Duration, error) {
	arrivedSince := func(n int) func(*observe.Ledger) bool {
		return func(l *observe.Ledger) bool {
			_, ok := l.FirstSince(n)
			return ok
		}
	}
	if err := f.await(ctx, arrivedSince(recoveryBefore)); err != nil {
		return 0, err
	}
	killed := time.Now()
	if err := f.kill(); err != nil {
		return 0, err
	}
	mark := f.ledger.Next()
	if err := f.start(); err != nil {
		return 0, err
	}
	if err := f.await(ctx, arrivedSince(mark)); err != nil {
		return 0, err
	}
	first, _ := f.ledger.FirstSince(mark)
	return first.Sub(killed), nil
}
