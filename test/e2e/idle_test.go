package e2e_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestIdleOutboxFreesWAL writes much to another table, and to another database, while the outbox is idle.
func TestIdleOutboxFreesWAL(t *testing.T) {
	r := newRig(t, setup{path: plainRelay(t)})
	other := newRig(t, setup{path: plainRelay(t)})
	p := r.stream(t)
	for _, busy := range []*rig{r, other} {
		conn := busy.db.Connect(t)
		run(t, conn, `CREATE TABLE busy (id bigint, filler text)`)
		for range 3 {
			before := scalar[int64](t, conn, `SELECT pg_current_wal_lsn() - '0/0'`)
			run(t, conn, `INSERT INTO busy SELECT n, repeat('x', 200) FROM generate_series(1, 100000) n`)
			if grown := scalar[int64](t, conn, `SELECT pg_current_wal_lsn() - '0/0'`) - before; grown < 20<<20 {
				t.Fatalf("the traffic is only %d bytes of WAL", grown)
			}
			r.awaitFreed(t, conn)
		}
	}
	p.awaitReady(t)
	p.stop(t)
}

// keptWAL is what an idle slot may retain, in bytes: far below one round of traffic.
const keptWAL = 2 << 20

// awaitFreed waits until the server retains little for the slot. A checkpoint logs the running transactions, without
// which the server cannot move restart_lsn on.
func (r *rig) awaitFreed(t testing.TB, conn *pgx.Conn) {
	t.Helper()
	eventually(t, 30*time.Second, func(ctx context.Context) error {
		if _, err := conn.Exec(ctx, `CHECKPOINT`); err != nil {
			return err
		}
		s, err := r.slotState(ctx, conn)
		if err == nil && (s.retained > keptWAL || s.unconfirmed > keptWAL) {
			err = fmt.Errorf("%d bytes are retained, %d not confirmed, want at most %d", s.retained, s.unconfirmed, keptWAL)
		}
		return err
	})
}
