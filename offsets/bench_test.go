package offsets_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/offsets"
)

// BenchmarkTracker keeps a window of transactions of one record in flight, as a
// relay with a full producer does.
func BenchmarkTracker(b *testing.B) {
	const window = 4096
	tr := offsets.New(1)
	end := uint64(1)
	push := func() {
		end++
		tr.Begin()
		tr.Add(1)
		tr.Commit(end)
	}
	for range window {
		push()
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		push()
		// Neighbours swap, as acknowledgements of two partitions do.
		tr.Ack(uint64(i^1)+1, 1)
	}
}

// BenchmarkEmpty is an idle outbox on a busy cluster.
func BenchmarkEmpty(b *testing.B) {
	tr := offsets.New(1)
	b.ReportAllocs()
	for i := range b.N {
		tr.Begin()
		tr.Commit(uint64(i) + 1)
		tr.Pass(uint64(i) + 1)
	}
}
