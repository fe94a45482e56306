package pattern_test

import (
	"context"
	"database/sql"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/outbox-relay/outbox-relay/examples/orders/billing"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// TestE_SameMessageTwice ends billing between the effect of an event and the commit of its offset, so that the event
// comes again after the next start, with all that came before it.
func TestE_SameMessageTwice(t *testing.T) {
	s := newStand(t, pgtest.Shared(t))
	r := s.relay(t)
	events := trade(t, s.db, "order-")
	must(t, "wait for the events", s.seen.WaitIDs(wait.Context(t, patience), events))
	const handled = 20
	billUntil(t, s.cluster.Addrs(), s.open(t), handled)

	b := bill(t, s.cluster.Addrs(), s.open(t))
	s.agree(t)
	r.stop(t)
	b.stop(t)
	if b.repeats != handled {
		t.Errorf("billing has met %d repeats, want the %d events whose offsets were not committed", b.repeats, handled)
	}
	t.Run("at once", s.testTwiceAtOnce)
}

// billUntil runs billing until it has handled so many events, and ends it before it can commit an offset.
func billUntil(t testing.TB, brokers []string, db *sql.DB, handled int) {
	t.Helper()
	ctx, cancel := context.WithCancel(wait.Context(t, patience))
	defer cancel()
	met := 0
	err := runBilling(ctx, brokers, db, func(billing.Event, bool) {
		if met++; met == handled {
			cancel()
		}
	})
	must(t, "run billing", err)
	if met != handled {
		t.Fatalf("billing has handled %d events, want %d", met, handled)
	}
}

// testTwiceAtOnce gives every event to two instances of billing at the same time, as a rebalance of the group can do.
func (s *stand) testTwiceAtOnce(t *testing.T) {
	s.resetBilling(t)
	dbs := []*sql.DB{s.open(t), s.open(t)}
	for _, e := range s.read(t, s.records()) {
		fresh := make([]bool, len(dbs))
		var g errgroup.Group
		for i, db := range dbs {
			g.Go(func() (err error) {
				fresh[i], err = billing.Apply(wait.Context(t, patience), db, e)
				return err
			})
		}
		must(t, "bill an event twice", g.Wait())
		if fresh[0] == fresh[1] {
			t.Errorf("event %d of order %s: new for both is %v", e.Sequence, e.Order, fresh[0])
		}
	}
	if err := s.difference(wait.Context(t, patience)); err != nil {
		t.Error(err)
	}
}
