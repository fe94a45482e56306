package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/observe"
	"github.com/outbox-relay/outbox-relay/test/bench/internal/stats"
	"github.com/outbox-relay/outbox-relay/test/load"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// drainTimeout is for one contender and backlog; the slowest takes half a minute.
const drainTimeout = 5 * time.Minute

// backlog is rows that wait in the WAL for every contender, each of which has a slot per round.
type backlog struct {
	*database
	shape
	endPosition string
}

// drain measures how fast each contender drains the same backlog. The contenders take turns; a run that fails is left
// out of the board.
func (s *stand) drain(ctx context.Context, number int, shape shape) (*board, []error) {
	contenders := s.drainers()
	b := newBoard(shape.String(), s.plan.rounds, contenders)
	log, err := s.newBacklog(ctx, fmt.Sprint("drain_", number), shape, contenders, s.plan.rounds)
	if err != nil {
		return b, []error{err}
	}
	var failures []error
	for round := range s.plan.rounds {
		for _, c := range stats.Rotate(contenders, round) {
			if ctx.Err() != nil {
				break
			}
			r, err := s.drainOnce(ctx, c, log, slotName(c, contenders, round))
			if err != nil {
				failures = append(failures, fmt.Errorf("%s, round %d: %s: %w", shape, round+1, c.name, err))
				s.say("%s, round %d: %s failed", shape, round+1, c.name)
				continue
			}
			r.note(b, c.name, round)
			s.say("%s, round %d: %s %.0f rows/s", shape, round+1, c.name, r.perSecond())
		}
	}
	if err := log.drop(); err != nil {
		failures = append(failures, err)
	}
	return b, failures
}

// slotName is the slot of a contender in a round.
func slotName(c contender, all []contender, round int) string {
	for i := range all {
		if all[i].name == c.name {
			return fmt.Sprintf("bench_%d_%d", i, round)
		}
	}
	return ""
}

// newBacklog makes all slots and then the rows, so that all slots see all rows and nothing before them.
func (s *stand) newBacklog(ctx context.Context, name string, shape shape, contenders []contender, rounds int) (*backlog, error) {
	return s.newBacklogWith(ctx, name, shape, func(ctx context.Context, db *database) error {
		for round := range rounds {
			for _, c := range contenders {
				if !c.reads {
					continue
				}
				if err := db.createSlot(ctx, slotName(c, contenders, round)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// newBacklogWith is newBacklog with a function that makes the slots.
func (s *stand) newBacklogWith(ctx context.Context, name string, shape shape, makeSlots func(context.Context, *database) error) (*backlog, error) {
	db, err := s.newDatabase(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := makeSlots(ctx, db); err != nil {
		return nil, errors.Join(err, db.drop())
	}
	s.say("%s: writing %d rows", shape, shape.rows)
	perTxn := shape.perTxn
	if perTxn == 0 {
		perTxn = shape.rows
	}
	err = load.Backlog(ctx, load.BacklogConfig{
		DSN: s.postgres.DSN(name), Rows: shape.rows, RowsPerTxn: perTxn, PayloadBytes: shape.payload, Keys: shape.keys, AggregateTypes: kinds(shape.topics),
	})
	if err != nil {
		return nil, errors.Join(err, db.drop())
	}
	end, err := db.position(ctx)
	if err != nil {
		return nil, errors.Join(err, db.drop())
	}
	return &backlog{database: db, shape: shape, endPosition: end}, nil
}

// result of one drain.
type result struct {
	rows    int
	elapsed time.Duration
	cpu     time.Duration
	usage   observe.Usage
	repeats int
}

func (r result) perSecond() float64 { return float64(r.rows) / r.elapsed.Seconds() }

func (r result) note(b *board, name string, round int) {
	b.set(name, rate, round, r.perSecond())
	b.set(name, cpu, round, r.cpu.Seconds()*1e6/float64(r.rows))
	b.set(name, memory, round, float64(r.usage.PeakRSS))
	b.set(name, switches, round, float64(r.usage.Switches)*1e3/float64(r.rows))
	b.set(name, repeats, round, float64(r.repeats))
}

// drainOnce lets a contender drain the backlog through a slot, and drops the slot.
func (s *stand) drainOnce(ctx context.Context, c contender, log *backlog, slot string) (r result, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, drainTimeout, fmt.Errorf("not done within %v", drainTimeout))
	defer cancel()
	t, err := s.newTarget(ctx, c, log.database, log.shape)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.removeTarget(t)) }()
	t.source.Slot, t.rows, t.payload, t.endPosition = slot, log.rows, log.payload, log.endPosition
	t.queue = log.queue
	if err := s.settle(ctx); err != nil {
		return r, err
	}
	if c.reads {
		defer func() { err = errors.Join(err, log.dropSlot(slot)) }()
	}
	return runDrain(ctx, c, t)
}

// runDrain starts the contender, waits for the end and kills it, so that what it has used is what it needed.
func runDrain(ctx context.Context, c contender, t target) (r result, err error) {
	topics, err := observe.NewTopics(t.brokers, t.topics)
	if err != nil {
		return r, err
	}
	defer topics.Close()
	if c.ending == arrives {
		if _, err := topics.Count(ctx); err != nil { // learns who leads the partitions
			return r, err
		}
	}
	start := time.Now()
	p, err := c.start(t)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	r.rows = t.rows
	if r.elapsed, r.usage, err = c.awaitEnd(ctx, p, start, topics, t.rows); err != nil {
		return r, fmt.Errorf("%w; its last lines:\n%s", err, p.Tail(20))
	}
	if err := p.Kill(); err != nil {
		return r, err
	}
	if r.cpu, err = p.CPU(); err != nil || c.ending != arrives {
		return r, err
	}
	present, err := topics.Count(ctx)
	r.repeats = present - t.rows
	return r, err
}

// awaitEnd waits until the contender has shown that it is done, and tells how long that took since start and what the
// process has used until then.
func (c contender) awaitEnd(ctx context.Context, p *procs.Proc, start time.Time, topics *observe.Topics, rows int) (time.Duration, observe.Usage, error) {
	switch c.ending {
	case exits:
		return awaitExit(ctx, p, start)
	case tells:
		if _, err := p.WaitLog(ctx, 0, saysDone); err != nil {
			return 0, observe.Usage{}, err
		}
		elapsed := time.Since(start)
		usage, err := observe.Read(p.Pid())
		return elapsed, usage, err
	default:
		elapsed, err := topics.WaitCount(ctx, start, rows, p.Done())
		if err != nil {
			return 0, observe.Usage{}, err
		}
		usage, err := observe.Read(p.Pid())
		return elapsed, usage, err
	}
}

func awaitExit(ctx context.Context, p *procs.Proc, start time.Time) (time.Duration, observe.Usage, error) {
	stop := context.AfterFunc(ctx, func() { _ = p.Kill() }) // the exit code tells
	defer stop()
	usage := observe.UntilEnd(p)
	elapsed := time.Since(start)
	code, err := p.Wait(ctx)
	if err == nil && code != 0 {
		err = fmt.Errorf("exit code %d", code)
	}
	return elapsed, usage, err
}
