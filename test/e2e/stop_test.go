package e2e_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/test/load"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

// TestStopUnderLoadRepeatsNothing stops the relay in order and starts it again while rows are written.
func TestStopUnderLoadRepeatsNothing(t *testing.T) {
	random := lots(t)
	r := newRig(t, setup{})
	consumer := r.consume(t)
	p := r.stream(t)
	w := r.traffic(t, load.Config{Writers: 4, MaxRows: 100, RowsPerSecond: 4000, RollbackShare: 0.1, Seed: random.Uint64()})
	for range 6 {
		p.awaitLot(t, random, w, consumer)
		p.stop(t)
		p = r.stream(t)
	}
	w.stop(t)
	rows := r.committed(t)
	arrived(t, consumer, rows)
	p.stop(t)
	once(t, r.verdict(t, consumer, rows))
}

// TestStopDuringCatchUpRepeatsNothing stops the relay while it is far behind. The server sends no keepalives then, so the
// last transaction's own end is what must be confirmed.
func TestStopDuringCatchUpRepeatsNothing(t *testing.T) {
	const size = 40_000
	r := newRig(t, setup{})
	consumer := r.consume(t)
	r.stream(t).stop(t)
	err := load.Backlog(wait.Context(t, trafficTimeout), load.BacklogConfig{DSN: r.db.DSN, Rows: size, AggregateTypes: r.types})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		p := r.stream(t)
		_, ids := consumer.Count()
		if err := consumer.WaitIDs(p.whileRunning(t, arriveTimeout), ids+1); err != nil {
			t.Fatal(err)
		}
		p.stop(t)
	}
	if _, ids := consumer.Count(); ids == size {
		t.Error("all has arrived before the last stop: the test is not about catching up any more")
	} else {
		t.Logf("%d of %d rows had arrived at the last stop", ids, size)
	}
	p := r.stream(t)
	rows := r.committed(t)
	arrived(t, consumer, rows)
	p.stop(t)
	once(t, r.verdict(t, consumer, rows))
}

// TestRestartOfAnIdleRelayRepeatsNothing is about the last transaction: confirmed by the start of its commit record
// instead of the end, it would come back at each start.
func TestRestartOfAnIdleRelayRepeatsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	consumer := r.consume(t)
	p := r.stream(t)
	row := r.insertEach(t, "only")
	arrived(t, consumer, row)
	for range 3 {
		p.stop(t)
		p = r.stream(t)
		p.awaitReady(t)
	}
	p.stop(t)
	once(t, r.verdict(t, consumer, row))
}
