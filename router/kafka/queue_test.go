package kafka_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// A queue against a slice, under random operations.
func TestQueue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type item struct {
			ord  uint64
			size int32
		}
		var q kafka.Queue
		var model []item
		next, front := uint64(1_000_000), uint64(1_000_000)
		sizes := rapid.Int32Range(0, 1000)
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				i := item{next, sizes.Draw(t, "size")}
				next++
				q.Push(i.ord, i.size)
				model = append(model, i)
			},
			"pop": func(t *rapid.T) {
				if len(model) == 0 {
					t.Skip()
				}
				if got := q.Pop(); got != model[0].ord {
					t.Fatalf("popped %d, want %d", got, model[0].ord)
				}
				model = model[1:]
			},
			"prepend": func(t *rapid.T) {
				n := uint64(rapid.IntRange(0, 5).Draw(t, "n"))
				var before kafka.Queue
				var items []item
				for ord := front - n; ord < front; ord++ {
					i := item{ord, sizes.Draw(t, "size")}
					before.Push(i.ord, i.size)
					items = append(items, i)
				}
				front -= n
				q.Prepend(&before)
				model = append(items, model...)
				if n, bytes := before.Count(); n != 0 || bytes != 0 {
					t.Fatalf("what was prepended still counts %d messages of %d bytes", n, bytes)
				}
			},
			"keep before": func(t *rapid.T) {
				ord := rapid.Uint64Range(front, next).Draw(t, "ord")
				kept := 0
				for kept < len(model) && model[kept].ord < ord {
					kept++
				}
				if got, want := q.KeepBefore(ord), len(model)-kept; got != want {
					t.Fatalf("dropped %d, want %d", got, want)
				}
				model = model[:kept]
			},
			"": func(t *rapid.T) {
				want := 0
				for _, i := range model {
					want += int(i.size)
				}
				if n, bytes := q.Count(); n != len(model) || bytes != want {
					t.Fatalf("counts %d messages of %d bytes, want %d of %d", n, bytes, len(model), want)
				}
			},
		})
	})
}
