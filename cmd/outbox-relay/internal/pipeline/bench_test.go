package pipeline

import (
	"testing"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
	"github.com/outbox-relay/outbox-relay/schema"
)

// benchRows is how many rows a transaction of the benchmark has: a handful of
// blocks, which go round.
const benchRows = 1000

// bench takes rows through everything that the reader and the flow do for them.
type bench struct {
	h    *handler
	rel  *schema.Relation
	rows [][]schema.Datum
	lsn  pglogrepl.LSN
	took []*kafka.Message
}

func newBench(tb testing.TB) *bench {
	tb.Helper()
	route, err := router.New(router.DefaultOptions())
	if err != nil {
		tb.Fatal(err)
	}
	all, err := replication.ParseList(".*")
	if err != nil {
		tb.Fatal(err)
	}
	r := &Relay{cfg: Config{Router: route, Columns: schema.DefaultColumns(), Metrics: NewMetrics(prometheus.NewRegistry(), "s")}}
	r.cfg.Replication.Tables.IncludeTables = all
	b := &bench{rel: outbox(), lsn: 1000, took: make([]*kafka.Message, 0, 2*benchRows)}
	b.h = r.newHandler(newFlow(100, Limits{Records: 1 << 16, Bytes: 8 << 20}, testDelays()), 100)
	b.h.describe = func(*schema.Relation) error { return nil }
	if _, err := b.h.Relation(b.rel); err != nil {
		tb.Fatal(err)
	}
	types := []string{"order", "order", "order", "customer", "payment", "payment"}
	for i := range 60 {
		b.rows = append(b.rows, row(rowText(i), types[i%len(types)], rowText(i), "Changed", `{"state": "as it is now", "amount": 1200}`))
	}
	return b
}

func rowText(i int) string {
	return "a0000000-0000-4000-8000-0000000000" + string(rune('0'+i/10)) + string(rune('0'+i%10))
}

// transaction reads one and acknowledges it.
func (b *bench) transaction(tb testing.TB) {
	b.lsn += 10
	if err := b.h.Begin(replication.Begin{CommitLSN: b.lsn, CommitTime: time.UnixMicro(1)}); err != nil {
		tb.Fatal(err)
	}
	for i := range benchRows {
		if err := b.h.Insert(b.rel, b.rows[i%len(b.rows)]); err != nil {
			tb.Fatal(err)
		}
	}
	if err := b.h.Commit(replication.Commit{CommitLSN: b.lsn, EndLSN: b.lsn + 5}); err != nil {
		tb.Fatal(err)
	}
	b.h.Flush()
	b.took = b.h.flow.Take(b.took[:0])
	if len(b.took) != benchRows {
		tb.Fatalf("took %d records", len(b.took))
	}
	b.h.flow.Acked(b.took)
}

// A row costs no allocation from the slot to the acknowledgement.
func TestRowsAllocateNothing(t *testing.T) {
	b := newBench(t)
	for range 5 {
		b.transaction(t) // blocks and lists grow once
	}
	if n := testing.AllocsPerRun(20, func() { b.transaction(t) }); n > 1 {
		t.Errorf("a transaction of %d rows takes %v allocations", benchRows, n)
	}
}

func BenchmarkRow(b *testing.B) {
	x := newBench(b)
	x.transaction(b)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		x.transaction(b)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}
