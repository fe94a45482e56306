package pattern_test

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/examples/orders/billing"
)

// biller runs billing until it is stopped, and starts it again when it ends by itself, as a supervisor does.
type biller struct {
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	last    map[string]int64 // highest sequence of each order
	repeats int
	ended   []error // why billing ended by itself
	wrong   []string
}

// bill starts billing. It is stopped when the test ends, if it is not before.
func bill(t testing.TB, brokers []string, db *sql.DB) *biller {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	b := &biller{cancel: cancel, done: make(chan struct{}), last: map[string]int64{}}
	go func() {
		defer close(b.done)
		for ctx.Err() == nil {
			b.failed(runBilling(ctx, brokers, db, b.note))
		}
	}()
	t.Cleanup(func() { b.stop(t) })
	return b
}

// sessionTimeout is how soon the group misses a member that could not say goodbye, because its broker was away. The
// broker's own lower bound is 6 s.
const sessionTimeout = 6 * time.Second

// runBilling is one life of a billing process.
func runBilling(ctx context.Context, brokers []string, db *sql.DB, note func(billing.Event, bool)) error {
	client, err := billing.NewClient(brokers, kgo.SessionTimeout(sessionTimeout), kgo.HeartbeatInterval(sessionTimeout/6))
	if err != nil {
		return err
	}
	defer client.Close()
	return billing.Consume(ctx, client, db, note)
}

// note looks that the new events of each order come in their order, without a gap.
func (b *biller) note(e billing.Event, fresh bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.last[e.Order]
	b.last[e.Order] = max(last, e.Sequence)
	if !fresh {
		b.repeats++
	} else if e.Sequence != last+1 {
		b.wrong = append(b.wrong, fmt.Sprintf("event %d of order %s came after event %d", e.Sequence, e.Order, last))
	}
}

func (b *biller) failed(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.ended = append(b.ended, err)
	}
}

// stop ends billing and reports what it has seen go wrong.
func (b *biller) stop(t testing.TB) {
	t.Helper()
	b.cancel()
	<-b.done
	for _, err := range b.ended {
		t.Logf("billing was started again, because it ended: %v", err)
	}
	for _, w := range b.wrong {
		t.Error(w)
	}
	b.wrong, b.ended = nil, nil
}
