package e2e_test

import (
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/load"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// TestRelayOutlastsRestartsOfPostgreSQL restarts the server under load, in order and as in a crash.
func TestRelayOutlastsRestartsOfPostgreSQL(t *testing.T) {
	server := pgtest.New(t, pgserver.Config{})
	r := newRig(t, setup{server: server})
	consumer := r.consume(t)
	p := r.stream(t)
	w := r.traffic(t, load.Config{MaxRows: 50, RowsPerSecond: 3000, RollbackShare: 0.1})
	for _, mode := range []pgserver.Mode{pgserver.Fast, pgserver.Immediate, pgserver.Fast, pgserver.Immediate} {
		w.awaitMore(t, 3000)
		mark := p.Mark()
		if err := server.Restart(wait.Context(t, time.Minute), mode); err != nil {
			t.Fatal(err)
		}
		p.await(t, mark, "streaming")
	}
	w.awaitMore(t, 3000)
	w.stop(t)
	rows := r.committed(t) // holds those whose COMMIT was not answered and took place
	arrived(t, consumer, rows)
	p.awaitReady(t)
	p.stop(t)
	nothingLost(t, r.verdict(t, consumer, rows))
}
