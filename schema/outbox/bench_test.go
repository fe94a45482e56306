package outbox_test

import (
	"fmt"
	"testing"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/outbox"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// BenchmarkWrite is about one event: time and allocations include the transaction.
func BenchmarkWrite(b *testing.B) {
	for _, w := range writers() {
		for _, size := range []int{1, 1000} {
			b.Run(fmt.Sprintf("%s/%d a transaction", w.name, size), func(b *testing.B) {
				db := pgtest.NewDB(b)
				db.Exec(b, schema.DDL)
				write := w.open(b, db)
				events := make([]outbox.Event, size)
				for i := range events {
					events[i] = good()
				}
				for b.Loop() {
					if err := write(b.Context(), outbox.Table{}, commit, events...); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*size), "µs/event")
			})
		}
	}
}
