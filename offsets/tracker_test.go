package offsets_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/offsets"
)

// step is one event of a table test and what the tracker must say after it.
type step struct {
	do        string
	call      func(*offsets.Tracker)
	confirmed uint64
	unacked   int
}

func begin(t *offsets.Tracker)                     { t.Begin() }
func add(n int) func(*offsets.Tracker)             { return func(t *offsets.Tracker) { t.Add(n) } }
func commit(end uint64) func(*offsets.Tracker)     { return func(t *offsets.Tracker) { t.Commit(end) } }
func pass(lsn uint64) func(*offsets.Tracker)       { return func(t *offsets.Tracker) { t.Pass(lsn) } }
func ack(txn uint64, n int) func(*offsets.Tracker) { return func(t *offsets.Tracker) { t.Ack(txn, n) } }

func TestTracker(t *testing.T) {
	t.Parallel()
	cases := map[string][]step{
		"A01 keepalive while a record is unacked": {
			{"begin 1", begin, 100, 0},
			{"add", add(1), 100, 1},
			{"keepalive inside the transaction", pass(900), 100, 1},
			{"commit", commit(200), 100, 1},
			{"keepalive", pass(300), 100, 1},
			{"second keepalive", pass(400), 100, 1},
			{"ack", ack(1, 1), 400, 0},
		},
		"A01 keepalive while nothing is unacked": {
			{"keepalive", pass(300), 300, 0},
			{"older keepalive", pass(200), 300, 0},
			{"keepalive again", pass(300), 300, 0},
		},
		"A03 later transaction acked first": {
			{"begin 1", begin, 100, 0},
			{"add", add(1), 100, 1},
			{"commit", commit(200), 100, 1},
			{"begin 2", begin, 100, 1},
			{"add", add(1), 100, 2},
			{"commit", commit(300), 100, 2},
			{"ack 2", ack(2, 1), 100, 1},
			{"ack 1", ack(1, 1), 300, 0},
		},
		"A03 the middle one is last": {
			{"begin 1", begin, 100, 0}, {"add", add(2), 100, 2}, {"commit", commit(200), 100, 2},
			{"begin 2", begin, 100, 2}, {"add", add(1), 100, 3}, {"commit", commit(300), 100, 3},
			{"begin 3", begin, 100, 3}, {"add", add(1), 100, 4}, {"commit", commit(400), 100, 4},
			{"ack 3", ack(3, 1), 100, 3},
			{"ack half of 1", ack(1, 1), 100, 2},
			{"ack 1", ack(1, 1), 200, 1},
			{"ack 2", ack(2, 1), 400, 0},
		},
		"A05 first rows of a transaction acked": {
			{"begin 1", begin, 100, 0},
			{"add", add(5), 100, 5},
			{"ack two rows before the commit", ack(1, 2), 100, 3},
			{"commit", commit(200), 100, 3},
			{"ack two more", ack(1, 2), 100, 1},
			{"ack the last", ack(1, 1), 200, 0},
		},
		"A05 every row so far acked while open": {
			{"begin 1", begin, 100, 0},
			{"add", add(1), 100, 1},
			{"ack", ack(1, 1), 100, 0},
			{"add", add(1), 100, 1},
			{"ack", ack(1, 1), 100, 0},
			{"commit", commit(200), 200, 0},
		},
		"A06 the end is confirmed as it is": {
			{"begin 1", begin, 100, 0},
			{"add", add(1), 100, 1},
			{"commit", commit(201), 100, 1},
			{"ack", ack(1, 1), 201, 0},
		},
		"A17 empty transactions move the position": {
			{"begin 1", begin, 100, 0},
			{"commit", commit(200), 200, 0},
			{"begin 2", begin, 200, 0},
			{"add nothing", add(0), 200, 0},
			{"commit", commit(300), 300, 0},
		},
		"A19 empty transaction behind rows in flight": {
			{"begin 1", begin, 100, 0},
			{"add", add(1), 100, 1},
			{"commit", commit(200), 100, 1},
			{"begin 2", begin, 100, 1},
			{"commit empty", commit(300), 100, 1},
			{"begin 3", begin, 100, 1},
			{"add", add(1), 100, 2},
			{"commit", commit(400), 100, 2},
			{"ack 1", ack(1, 1), 300, 1},
			{"ack 3", ack(3, 1), 400, 0},
		},
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := offsets.New(100)
			for _, s := range steps {
				s.call(tr)
				if tr.Confirmed() != s.confirmed || tr.Unacked() != s.unacked {
					t.Fatalf("after %s: confirmed %d, unacked %d, want %d and %d",
						s.do, tr.Confirmed(), tr.Unacked(), s.confirmed, s.unacked)
				}
			}
		})
	}
}

func TestOldest(t *testing.T) {
	t.Parallel()
	tr := offsets.New(1)
	check := func(when string, want uint64) {
		t.Helper()
		if got, ok := tr.Oldest(); got != want || ok != (want != 0) {
			t.Errorf("%s: oldest %d, %v, want %d", when, got, ok, want)
		}
	}
	check("fresh", 0)
	first := tr.Begin()
	check("open and empty", 0)
	tr.Add(1)
	check("open with a record", first)
	tr.Commit(10)
	second := tr.Begin()
	tr.Add(1)
	check("first closed, second open", first)
	tr.Ack(first, 1)
	check("first acked", second)
	if !tr.Open() {
		t.Error("second transaction is not open")
	}
	tr.Ack(second, 1)
	check("all acked", 0)
	tr.Commit(20)
	if tr.Open() {
		t.Error("open after commit")
	}
}

func TestMisusePanics(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		do   func(*offsets.Tracker)
		want string
	}{
		"begin twice":            {func(t *offsets.Tracker) { t.Begin(); t.Begin() }, "transaction 1 is open"},
		"add while closed":       {func(t *offsets.Tracker) { t.Add(3) }, "Add(3)"},
		"negative add":           {func(t *offsets.Tracker) { t.Begin(); t.Add(-1) }, "Add(-1)"},
		"commit without begin":   {func(t *offsets.Tracker) { t.Commit(0x200) }, "Commit(200) without Begin"},
		"end goes backwards":     {func(t *offsets.Tracker) { t.Begin(); t.Commit(0x50) }, "ends at 50, behind 64"},
		"ack of nothing":         {func(t *offsets.Tracker) { t.Begin(); t.Add(1); t.Ack(1, 0) }, "nothing acknowledged"},
		"ack of an unknown":      {func(t *offsets.Tracker) { t.Ack(7, 1) }, "Ack(7, 1)"},
		"ack of number zero":     {func(t *offsets.Tracker) { t.Ack(0, 1) }, "Ack(0, 1)"},
		"too many acks, open":    {func(t *offsets.Tracker) { t.Begin(); t.Add(2); t.Ack(1, 3) }, "2 of 2 records"},
		"too many acks, closed":  {func(t *offsets.Tracker) { t.Begin(); t.Add(2); t.Commit(200); t.Ack(1, 3) }, "with 2 records"},
		"ack of a complete one":  {func(t *offsets.Tracker) { t.Begin(); t.Add(1); t.Commit(200); t.Ack(1, 1); t.Ack(1, 1) }, "complete"},
		"ack of an empty one":    {func(t *offsets.Tracker) { t.Begin(); t.Commit(200); t.Ack(1, 1) }, "complete"},
		"ack of one ahead of us": {func(t *offsets.Tracker) { t.Begin(); t.Ack(2, 1) }, "unknown"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if msg := fmt.Sprint(recover()); !strings.Contains(msg, tc.want) {
					t.Errorf("panicked with %q, want something with %q", msg, tc.want)
				}
			}()
			tc.do(offsets.New(100))
		})
	}
}

// TestMemory holds one transaction back while many others come and go: what is
// kept must follow what is unacknowledged, not what has passed.
func TestMemory(t *testing.T) {
	tr := offsets.New(1)
	stuck := tr.Begin()
	tr.Add(1)
	tr.Commit(2)
	end := uint64(2)
	one := func() {
		end++
		n := tr.Begin()
		tr.Add(1)
		tr.Commit(end)
		tr.Ack(n, 1)
	}
	many := func() {
		for range 100_000 {
			one()
		}
	}
	if allocs := testing.AllocsPerRun(1, many); allocs != 0 {
		t.Errorf("%v allocations in 100,000 transactions behind a stuck one, want 0", allocs)
	}
	if got := tr.Confirmed(); got != 1 {
		t.Errorf("confirmed %d past the stuck transaction", got)
	}
	tr.Ack(stuck, 1)
	if got := tr.Confirmed(); got != end {
		t.Errorf("confirmed %d, want %d", got, end)
	}
}
