package e2e_test

import (
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/load"
)

// TestEveryCommittedRowArrivesOnceInOrder is the relay's purpose: concurrent writers, rollbacks, savepoints, no faults.
func TestEveryCommittedRowArrivesOnceInOrder(t *testing.T) {
	r := newRig(t, setup{path: plainRelay(t)})
	consumer := r.consume(t)
	p := r.stream(t)
	w := r.traffic(t, load.Config{
		Writers: 8, MaxRows: 500, Rows: 100_000, RollbackShare: 0.2, SavepointShare: 0.2, Seed: 1,
	})
	w.await(t)
	account := w.Account()
	if account.RolledBackRows < 10_000 {
		t.Fatalf("only %d rows were rolled back: the load is not what this test is about", account.RolledBackRows)
	}
	rows := r.committed(t)
	if len(rows) != len(account.Committed) {
		t.Fatalf("the table holds %d rows, the writers have committed %d", len(rows), len(account.Committed))
	}
	arrived(t, consumer, rows)

	// Idle now: the confirmed position must reach the end of the WAL, and not stop at the last row.
	conn := r.db.Connect(t)
	r.awaitSlot(t, conn, time.Minute, "confirmed up to the WAL's end", func(s slotState) bool { return s.unconfirmed == 0 })
	p.checkPeakMemory(t, memoryLimit)
	p.stop(t)
	once(t, r.verdict(t, consumer, rows))
}

// memoryLimit is what a relay may use, in bytes: issue 3.
const memoryLimit = 64 << 20
