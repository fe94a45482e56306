package e2e_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/test/load"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

// TestBigTransactionFitsInMemory relays one transaction that is far larger than what a relay may hold.
func TestBigTransactionFitsInMemory(t *testing.T) {
	const size = 500_000
	r := newRig(t, setup{path: plainRelay(t)})
	consumer := r.consume(t)
	p := r.stream(t)
	err := load.Backlog(wait.Context(t, trafficTimeout), load.BacklogConfig{
		DSN: r.db.DSN, Rows: size, RowsPerTxn: size, AggregateTypes: r.types,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := consumer.WaitIDs(wait.Context(t, arriveTimeout), size); err != nil {
		t.Fatal(err)
	}
	p.checkPeakMemory(t, memoryLimit)
	p.stop(t)
	once(t, r.verdict(t, consumer, r.committed(t)))
}

// TestBigRowsFitInMemory relays rows close to the largest record, many more than the relay may hold at once.
func TestBigRowsFitInMemory(t *testing.T) {
	const size = 150
	r := newRig(t, setup{path: plainRelay(t)})
	consumer := r.consume(t)
	p := r.stream(t)
	err := load.Backlog(wait.Context(t, trafficTimeout), load.BacklogConfig{
		DSN: r.db.DSN, Rows: size, RowsPerTxn: 50, PayloadBytes: 900_000, AggregateTypes: r.types,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := consumer.WaitIDs(wait.Context(t, arriveTimeout), size); err != nil {
		t.Fatal(err)
	}
	p.checkPeakMemory(t, memoryLimit)
	p.stop(t)
	once(t, r.verdict(t, consumer, r.committed(t)))
}
