package proof_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/proof"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// TestProvenInSQL compares what PostgreSQL makes of the condition with the plain meaning of the numbers, before and after
// they wrapped.
func TestProvenInSQL(t *testing.T) {
	t.Parallel()
	conn := pgtest.NewDB(t).Connect(t)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 2))
	for range 300 {
		newest := proof.XID(1000 + r.Uint64N(3<<32))
		back := func(most uint64) proof.XID { return newest - proof.XID(r.Uint64N(min(most, uint64(newest)-3))) }
		const reach = 1 << 31
		to := back(1000 << r.IntN(24))
		from := to - proof.XID(r.Uint64N(uint64(to)-2))
		limit := []proof.XID{0, back(1000 << r.IntN(21))}[r.IntN(2)]
		row := back(reach - 1)
		if r.IntN(2) == 0 { // at an edge
			row = []proof.XID{from, from - 1, to, to - 1, max(limit, 3)}[r.IntN(5)]
		}
		if newest-row >= reach || row < 3 || row > newest {
			continue
		}
		l := &proof.Ledger{Slots: map[string]*proof.Slot{"a": {Ranges: []proof.Range{{From: 1, To: 1}, {From: from, To: to}}}}, Leaves: map[uint32]proof.Leaf{7: {From: limit}, 8: {}}}
		want := row >= from && row < to && row >= limit
		ask := func(condition string, table int) (got bool) {
			t.Helper()
			sql := fmt.Sprintf(`SELECT %s FROM (SELECT '%d'::text::xid AS xmin, %d::oid AS tableoid) t`, condition, uint64(row)%(1<<32), table)
			if err := conn.QueryRow(t.Context(), sql).Scan(&got); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			return got
		}
		condition := l.Proven([]string{"a"}, newest, nil)
		if got := ask(condition, 7); got != want {
			t.Fatalf("seed %d: row %d in [%d,%d), leaf from %d, newest %d: %v, want %v\n%s", seed, row, from, to, limit, newest, got, want, condition)
		}
		if ask(condition, 9) {
			t.Fatal("a row of an unknown leaf is proven")
		}
		if got := ask(to.Before(), 7); got != (row < to) && to-row < reach {
			t.Fatalf("seed %d: row %d before %d: %v", seed, row, to, got)
		}
	}
}

func TestProvenNeedsEverySlotAndTheRowsTime(t *testing.T) {
	t.Parallel()
	conn := pgtest.NewDB(t).Connect(t)
	ranges := func(from, to proof.XID) *proof.Slot {
		return &proof.Slot{Ranges: []proof.Range{{From: from, To: to, Since: start}}}
	}
	l := &proof.Ledger{Slots: map[string]*proof.Slot{"a": ranges(10, 20), "b": ranges(15, 30), "c": {}}, Leaves: map[uint32]proof.Leaf{1: {}}}
	since := func(at time.Time) string { return "created >= '" + at.Format(time.RFC3339) + "'" }
	tests := []struct {
		name  string
		slots []string
		row   int
		time  string
		want  bool
	}{
		{"one slot", []string{"a"}, 12, "2026-11-30 12:00+00", true},
		{"too early a time", []string{"a"}, 12, "2026-11-30 11:59+00", false},
		{"not both", []string{"a", "b"}, 12, "2026-11-30 13:00+00", false},
		{"both", []string{"a", "b"}, 15, "2026-11-30 13:00+00", true},
		{"one without ranges", []string{"a", "c"}, 15, "2026-11-30 13:00+00", false},
		{"one that is not known", []string{"a", "d"}, 15, "2026-11-30 13:00+00", false},
	}
	for _, tt := range tests {
		var got bool
		sql := fmt.Sprintf(`SELECT %s FROM (SELECT '%d'::text::xid AS xmin, 1::oid AS tableoid, '%s'::timestamptz AS created) t`, l.Proven(tt.slots, 100, since), tt.row, tt.time)
		if err := conn.QueryRow(t.Context(), sql).Scan(&got); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := l.Confirmed([]string{"a", "b"}); got != 20 {
		t.Errorf("both have confirmed up to %d, want 20", got)
	}
}
