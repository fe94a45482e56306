package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/observe"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// sharedResult is a result of several relays together.
type sharedResult struct {
	result
	senders time.Duration // processor time of the walsenders
}

// drainWith lets a fleet drain the backlog, and drops its slots.
func (s *stand) drainWith(ctx context.Context, f fleet, log *backlog, round int) (r sharedResult, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, drainTimeout, fmt.Errorf("not done within %v", drainTimeout))
	defer cancel()
	t, err := s.newTarget(ctx, f.contender, log.database, log.shape)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.removeTarget(t)) }()
	t.source.Slot, t.rows = roundSlot(round), log.rows
	if err := s.settle(ctx); err != nil {
		return r, err
	}
	defer func() {
		for i := range f.relays {
			err = errors.Join(err, log.dropSlot(shardName(roundSlot(round), i, f.relays)))
		}
	}()
	return s.runFleet(ctx, f, log.database, t)
}

// runFleet starts all relays, waits for the last row and kills them.
func (s *stand) runFleet(ctx context.Context, f fleet, db *database, t target) (r sharedResult, err error) {
	topics, err := observe.NewTopics(t.brokers, t.topics)
	if err != nil {
		return r, err
	}
	defer topics.Close()
	if _, err := topics.Count(ctx); err != nil { // learns who leads the partitions
		return r, err
	}
	start := time.Now()
	var relays []*procs.Proc
	defer func() {
		for _, p := range relays {
			err = errors.Join(err, p.Close())
		}
	}()
	for i := range f.relays {
		var more []string
		if f.relays > 1 {
			more = []string{"-shard.count", strconv.Itoa(f.relays), "-shard.index", strconv.Itoa(i)}
		}
		p, err := s.startRelay(s.relay, more...)(t)
		if err != nil {
			return r, err
		}
		relays = append(relays, p)
	}
	r.rows = t.rows
	ended, forget := anyEnds(ctx, relays)
	defer forget()
	if r.elapsed, err = topics.WaitCount(ctx, start, t.rows, ended); err != nil {
		return r, fmt.Errorf("%w; the last lines of the first:\n%s", err, relays[0].Tail(20))
	}
	if r.senders, err = db.senderTime(ctx); err != nil {
		return r, err
	}
	return r, r.account(ctx, relays, topics)
}

// account adds up what the relays have used, and kills them.
func (r *sharedResult) account(ctx context.Context, relays []*procs.Proc, topics *observe.Topics) error {
	for _, p := range relays {
		usage, err := observe.Read(p.Pid())
		if err != nil {
			return err
		}
		r.usage.PeakRSS += usage.PeakRSS
		r.usage.Switches += usage.Switches
	}
	for _, p := range relays {
		if err := p.Kill(); err != nil {
			return err
		}
		used, err := p.CPU()
		if err != nil {
			return err
		}
		r.cpu += used
	}
	present, err := topics.Count(ctx)
	r.repeats = present - r.rows
	return err
}

// anyEnds is closed when one of the processes ends. forget must be called.
func anyEnds(ctx context.Context, all []*procs.Proc) (ended <-chan struct{}, forget func()) {
	ctx, cancel := context.WithCancel(ctx)
	first, once := make(chan struct{}), sync.Once{}
	var waiting sync.WaitGroup
	for _, p := range all {
		waiting.Go(func() {
			select {
			case <-p.Done():
				once.Do(func() { close(first) })
			case <-ctx.Done():
			}
		})
	}
	return first, func() { cancel(); waiting.Wait() }
}

// senderTime is the processor time that the database's walsenders have used.
func (db *database) senderTime(ctx context.Context) (sum time.Duration, err error) {
	rows, err := db.conn.Query(ctx, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walsender' AND datname = $1", db.name)
	if err != nil {
		return 0, fmt.Errorf("look for the walsenders: %w", err)
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		return 0, fmt.Errorf("look for the walsenders: %w", err)
	}
	for _, pid := range pids {
		used, err := procs.CPU(int(pid))
		if err != nil {
			return 0, err
		}
		sum += used
	}
	return sum, nil
}
