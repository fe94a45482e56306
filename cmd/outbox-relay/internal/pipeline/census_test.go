package pipeline

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// insertTypes commits a transaction with one row of each type.
func (h *handler) insertTypes(t *testing.T, commit pglogrepl.LSN, at time.Time, types ...string) {
	t.Helper()
	rel := outbox()
	for known := range h.targets {
		rel = known
	}
	must(t, h.Begin(replication.Begin{CommitLSN: commit, CommitTime: at}))
	for _, kind := range types {
		must(t, h.Insert(rel, row("1", kind, "k", "T", "{}")))
	}
	must(t, h.Commit(replication.Commit{CommitLSN: commit, EndLSN: commit + 5}))
	h.Flush()
}

// What waits and since when is known for each aggregate type, whatever the order of
// the acknowledgements; types beyond the limit count together.
func TestCensus(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, Limits{Records: 1 << 20, Bytes: 64 << 20})
	h.kinds.limit = 2
	if _, err := h.Relation(outbox()); err != nil {
		t.Fatal(err)
	}
	first, second := time.UnixMicro(1_000_000), time.UnixMicro(2_000_000)
	h.insertTypes(t, 200, first, "order", "customer", "order", "ghost", "phantom")
	h.insertTypes(t, 300, second, "customer", "order")
	check := func(when string, want map[string]tally) {
		t.Helper()
		names := h.kinds.all()
		got := make(map[string]tally)
		for kind, n := range h.flow.census(len(names)) {
			if n.events > 0 {
				got[names[kind]] = n
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	got := take(h.flow, 10)
	check("everything waits", map[string]tally{"order": {3, 1_000_000}, "customer": {2, 1_000_000}, "other": {2, 1_000_000}})
	h.flow.Acked([]*kafka.Message{got[1], got[6]}) // the older customer and the newest order
	check("two are gone", map[string]tally{"order": {2, 1_000_000}, "customer": {1, 2_000_000}, "other": {2, 1_000_000}})
	for _, i := range []int{0, 2, 3, 4, 5} {
		h.flow.Acked(got[i : i+1])
	}
	check("all are gone", map[string]tally{})
}

// Blocks are used again, large ones are not; what is counted is only what waits.
func TestCensusOverManyBlocks(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, Limits{Records: 1 << 20, Bytes: 64 << 20})
	rel := outbox()
	if _, err := h.Relation(rel); err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", 2*blockBytes)
	for round := range 50 {
		lsn := pglogrepl.LSN(1000 + 10*round)
		must(t, h.Begin(replication.Begin{CommitLSN: lsn, CommitTime: time.UnixMicro(1)}))
		for i := range 700 {
			payload := "{}"
			if i%300 == 7 {
				payload = large
			}
			must(t, h.Insert(rel, row("1", "order", "k", "T", payload)))
		}
		must(t, h.Commit(replication.Commit{CommitLSN: lsn, EndLSN: lsn + 5}))
		h.Flush()
		got := take(h.flow, 1000)
		h.flow.Acked(got[:500])
		if n := h.flow.census(3)[firstKind].events; n != 200 {
			t.Fatalf("round %d: %d events wait, want 200", round, n)
		}
		h.flow.Acked(got[500:])
		if n := h.flow.census(3)[firstKind].events; n != 0 {
			t.Fatalf("round %d: %d events wait, want none", round, n)
		}
	}
	if n := len(h.flow.blocks); n > 1 {
		t.Errorf("%d blocks are in use with nothing waiting", n)
	}
}

// Counting goes on beside reading and acknowledging (for the race detector).
func TestCensusBesideWork(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				b.h.flow.census(len(b.h.kinds.all()))
			}
		}
	})
	for range 50 {
		b.transaction(t)
	}
	close(stop)
	wg.Wait()
}

// The series of types: those that were seen, and one for the rest; their number does
// not grow with the data. Topics likewise.
func TestSeriesAreBounded(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	m := NewMetrics(reg, "s")
	m.Limit(3)
	for i := range 5000 {
		m.kinds.of(fmt.Appendf(nil, "type-%d", i))
		m.Acked(fmt.Sprintf("topic-%d", i), 1, 10)
		m.Sent(fmt.Sprintf("topic-%d", i))
		m.Failed(fmt.Sprintf("topic-%d", i))
	}
	for name, want := range map[string]int{
		"outbox_relay_waiting_events": 4, "outbox_relay_oldest_waiting_age_seconds": 4,
		"outbox_relay_events_total": 4, "outbox_relay_topic_attempts_total": 4, "outbox_relay_topic_failures_total": 4,
	} {
		if n, err := testutil.GatherAndCount(reg, name); err != nil || n != want {
			t.Errorf("%s has %d series, want %d: %v", name, n, want, err)
		}
	}
	if got := testutil.ToFloat64(m.events.WithLabelValues("other")); got != 4997 {
		t.Errorf("the rest counts %v events, want 4997", got)
	}
}

func TestKindsAreFew(t *testing.T) {
	k := newKinds(2)
	for _, name := range []string{"other", "", "\xff", strings.Repeat("x", 250)} {
		if got := k.of([]byte(name)); got != otherKind {
			t.Errorf("type %q has the number %d, want that of the others", name, got)
		}
	}
	a, b := k.of([]byte("a")), k.of([]byte("b"))
	if a == b || k.of([]byte("a")) != a || k.of([]byte("b")) != b {
		t.Error("a type changes its number")
	}
	for _, name := range []string{"c", "", "d"} {
		if got := k.of([]byte(name)); got != otherKind {
			t.Errorf("type %q has the number %d, want that of the others", name, got)
		}
	}
	name := []byte("a")
	k.of(name)
	name[0] = 'b' // the row's buffer is used again
	if got := k.of(name); got != b {
		t.Error("the last type is remembered by a buffer that changes")
	}
	if n := testing.AllocsPerRun(100, func() { k.of([]byte("a")); k.of([]byte("b")) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
