package pattern_test

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/examples/orders/billing"
	"github.com/outbox-relay/outbox-relay/examples/orders/service"
	"github.com/outbox-relay/outbox-relay/test/faultproxy"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// TestC_OlderEventDelayed holds the first event of an order on its way to the broker, longer than the relay waits for an
// answer, while the order changes on. Then the way is free again for everything at once: the relay's repeats of the
// older event, what it was given since, and the first sending, which had been held.
func TestC_OlderEventDelayed(t *testing.T) {
	s, b, r, before := flowing(t, pgtest.Shared(t))

	s.kafka.Set(faultproxy.ToServer, faultproxy.Faults{Stall: true})
	mark := r.Mark()
	place(t, s.db, "late")
	r.await(t, mark, "Kafka does not take records, retrying") // the older event's time is up
	for range 20 {
		within(t, s.db, func(ctx context.Context, tx pgx.Tx) error { return service.Add(ctx, tx, "late", 10) })
	}
	more := trade(t, s.db, "second-")
	r.awaitUnacked(t, 1+20+more)
	if n := s.records(); n != before {
		t.Fatalf("the broker has %d records, want the %d from before the fault", n, before)
	}

	s.kafka.Heal()
	s.agree(t)
	r.stop(t)
	b.stop(t)
	t.Run("in the consumer", s.testDelayInTheConsumer)
}

// testDelayInTheConsumer gives billing the events of each order the other way round, as a queue of events to be tried
// again may do. Each must be billed, and none may bring an older state back.
func (s *stand) testDelayInTheConsumer(t *testing.T) {
	s.resetBilling(t)
	db := s.open(t)
	for _, e := range slices.Backward(s.read(t, s.records())) {
		if _, err := billing.Apply(wait.Context(t, patience), db, e); err != nil {
			t.Fatalf("event %d of order %s: %v", e.Sequence, e.Order, err)
		}
	}
	if err := s.difference(wait.Context(t, patience)); err != nil {
		t.Error(err)
	}
}

// read reads the first n events from the topic.
func (s *stand) read(t testing.TB, n int) []billing.Event {
	t.Helper()
	client := kafkatest.NewClient(t, s.cluster, kgo.ConsumeTopics(service.Topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	var events []billing.Event
	for len(events) < n {
		fetches := client.PollFetches(wait.Context(t, patience))
		must(t, "read the topic", fetches.Err())
		for record := range fetches.RecordsAll() {
			e, err := billing.Parse(record)
			must(t, "read a record", err)
			events = append(events, e)
		}
	}
	return events
}
