package e2e_test

import (
	"context"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/load"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

// trafficTimeout is the longest that a load may take; generous, because the machine may be busy.
const trafficTimeout = 4 * time.Minute

// traffic is a load that runs beside the test.
type traffic struct {
	*load.Load
	cancel context.CancelFunc
	done   chan struct{}
	err    error // of Run, once done is closed
}

// traffic starts to write outbox rows. It ends by itself when config.Rows are committed, and with the test at the latest.
func (r *rig) traffic(t testing.TB, config load.Config) *traffic {
	t.Helper()
	config.DSN, config.AggregateTypes = r.db.DSN, r.types
	ctx, cancel := context.WithTimeout(t.Context(), trafficTimeout)
	w := &traffic{Load: load.New(config), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		w.err = w.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-w.done
	})
	return w
}

// await waits until the load has written all that it should.
func (w *traffic) await(t testing.TB) {
	t.Helper()
	<-w.done
	if w.err != nil {
		t.Fatal(w.err)
	}
}

// stop ends the load after the transactions that are under way.
func (w *traffic) stop(t testing.TB) {
	t.Helper()
	w.cancel()
	w.await(t)
}

// awaitMore waits until n more rows are committed.
func (w *traffic) awaitMore(t testing.TB, n int) {
	t.Helper()
	if err := w.WaitRows(wait.Context(t, trafficTimeout), w.Rows()+n); err != nil {
		t.Fatal(err)
	}
}
