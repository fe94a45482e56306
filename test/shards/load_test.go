package shards_test

import (
	"context"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/load"
)

// writing is a load that goes on until it is stopped.
type writing struct {
	*load.Load
	end context.CancelFunc
	err chan error
}

// write makes the outbox of package load, and starts writers: few keys, which all writers use, so that every key has
// rows all the time.
func (r *rig) write(t testing.TB) *writing {
	t.Helper()
	ctx, cancel := context.WithCancel(wait.Context(t, patience))
	w := &writing{Load: load.New(load.Config{DSN: r.db.DSN, Writers: 3, MaxRows: 10, Keys: 40, RowsPerSecond: 1200, RollbackShare: 0.1, SavepointShare: 0.2, Seed: 7}), end: cancel, err: make(chan error, 1)}
	go func() { w.err <- w.Run(ctx) }()
	t.Cleanup(cancel)
	return w
}

// more waits until n more rows are committed.
func (w *writing) more(t testing.TB, n int) {
	t.Helper()
	if err := w.WaitRows(wait.Context(t, patience), w.Rows()+n); err != nil {
		t.Fatal(err)
	}
}

// finish stops the writers, waits for everything that they committed, and demands that nothing is missing and that each
// key's events came first in the order of their commits.
func (w *writing) finish(t testing.TB, r *rig) judge.Report {
	t.Helper()
	w.end()
	if err := <-w.err; err != nil {
		t.Fatal(err)
	}
	a := w.Account()
	if err := r.consumer.WaitFor(wait.Context(t, patience), a.Committed); err != nil {
		t.Fatal(err)
	}
	report := judge.Judge(a.Committed, a.Unknown, r.consumer.Records())
	if err := report.AtLeastOnce(); err != nil {
		t.Error(err)
	}
	return report
}
