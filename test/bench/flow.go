package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/observe"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// flowTimeout is for a run in which rows flow, apart from the time it takes by design.
const flowTimeout = 90 * time.Second

// flow is a contender between a table that is being written to and a consumer that watches. One goroutine owns it.
type flow struct {
	stand     *stand
	contender contender
	db        *database
	target    target
	ledger    *observe.Ledger
	writer    *writer
	arrivals  *observe.Arrivals
	proc      *procs.Proc
}

// newFlow makes slot and topic and starts to consume. The contender is not started.
func (s *stand) newFlow(ctx context.Context, db *database, c contender, capacity int) (*flow, error) {
	t, err := s.newTarget(ctx, c, db, shape{topics: 1})
	if err != nil {
		return nil, err
	}
	t.source.Slot = fmt.Sprint("flow_", s.targets)
	f := &flow{stand: s, contender: c, db: db, target: t, ledger: observe.NewLedger(capacity)}
	f.writer = newWriter(t.source.DSN, f.ledger)
	if err := db.createSlot(ctx, t.source.Slot); err != nil {
		return nil, errors.Join(err, f.close())
	}
	if f.arrivals, err = observe.NewArrivals(ctx, t.brokers, t.topics[0], f.ledger); err != nil {
		return nil, errors.Join(err, f.close())
	}
	if err := s.settle(ctx); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// start starts the contender, which may be done again after kill.
func (f *flow) start() (err error) {
	f.proc, err = f.contender.start(f.target)
	return err
}

// kill ends the contender with SIGKILL.
func (f *flow) kill() error {
	p := f.proc
	if f.proc = nil; p == nil {
		return nil
	}
	return p.Close()
}

// await waits until check is satisfied by what has arrived.
func (f *flow) await(ctx context.Context, check func(*observe.Ledger) bool) error {
	err := f.arrivals.Wait(ctx, check)
	if err != nil && f.proc != nil {
		return fmt.Errorf("%w; the last lines of the program:\n%s", err, f.proc.Tail(20))
	}
	return err
}

// allArrived is when nothing is under way.
func allArrived(l *observe.Ledger) bool { return l.Next() > 0 && l.Missing() == 0 }

// close ends all. It may be called however far the flow has come.
func (f *flow) close() error {
	errs := []error{f.kill()}
	if f.arrivals != nil {
		f.arrivals.Close()
	}
	return errors.Join(append(errs, f.db.dropSlot(f.target.source.Slot), f.stand.removeTarget(f.target))...)
}
