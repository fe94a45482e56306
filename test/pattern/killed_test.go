package pattern_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/test/faultproxy"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// TestA_KilledBeforeTheBrokerCall kills the relay when it has read events and none of them has reached the broker: what
// it sends is held on its way.
func TestA_KilledBeforeTheBrokerCall(t *testing.T) {
	s, b, r, before := flowing(t, pgtest.Shared(t))

	s.kafka.Set(faultproxy.ToServer, faultproxy.Faults{Stall: true})
	caught := trade(t, s.db, "second-")
	r.awaitUnacked(t, caught)
	r.kill(t)
	s.kafka.Cut(faultproxy.RST) // what was held is gone
	if n := s.records(); n != before {
		t.Fatalf("the broker has %d records, want the %d from before the fault", n, before)
	}

	s.kafka.Heal()
	r = s.relay(t)
	s.agree(t)
	r.stop(t)
	b.stop(t)
}

// TestB_KilledBeforeTheConfirmation kills the relay when the broker has accepted events and PostgreSQL does not know it:
// the relay's reports to the server are held on their way. All of the events are sent again then; none may be billed
// again.
func TestB_KilledBeforeTheConfirmation(t *testing.T) {
	s, b, r, before := flowing(t, pgtest.Shared(t))

	s.postgres.Set(faultproxy.ToServer, faultproxy.Faults{Stall: true})
	from, err := one[string](wait.Context(t, patience), s.conn, `SELECT pg_current_wal_insert_lsn()::text`)
	must(t, "ask for the position", err)
	accepted := trade(t, s.db, "second-")
	must(t, "wait until the broker has the events", s.seen.WaitIDs(wait.Context(t, patience), before+accepted))
	r.kill(t)
	const unconfirmed = `SELECT confirmed_flush_lsn <= $1::pg_lsn FROM pg_replication_slots WHERE slot_name = $2`
	if ok, err := one[bool](wait.Context(t, patience), s.conn, unconfirmed, from, slot); err != nil || !ok {
		t.Fatalf("the slot has moved past the events (%v)", err)
	}

	s.postgres.Cut(faultproxy.RST) // what was held is gone
	s.postgres.Heal()
	r = s.relay(t)
	s.awaitRecords(t, before+2*accepted)
	report := s.agree(t)
	if got := report.Repeats(); got < accepted {
		t.Errorf("%d repeats, want all %d events that were not confirmed", got, accepted)
	}
	r.stop(t)
	b.stop(t)
	if b.repeats < accepted {
		t.Errorf("billing has met %d repeats, want at least %d", b.repeats, accepted)
	}
}
