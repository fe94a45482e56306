package pattern_test

import (
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// away is how long the broker is away: several times the longest of the relay's and PostgreSQL's time limits, which
// the test has made short.
const away = 8 * time.Second

// TestD_BrokerAwayLongerThanAnyTimeout kills the broker. The application must be able to work on, and everything it has
// committed by the time the broker is back must arrive; the relay is the same process all the time.
func TestD_BrokerAwayLongerThanAnyTimeout(t *testing.T) {
	s, b, r, _ := flowing(t, pgtest.New(t, pgserver.Config{Settings: map[string]string{"wal_sender_timeout": "2s"}}))
	r.awaitReady(t, true)

	must(t, "kill the broker", s.cluster.Kill(0))
	over := time.NewTimer(away)
	defer over.Stop()
	trade(t, s.db, "during-")
	r.awaitReady(t, false)
	select {
	case <-over.C:
	case <-r.Done():
		t.Fatal("the relay has ended")
	}
	trade(t, s.db, "late-")
	must(t, "start the broker", s.cluster.StartBroker(wait.Context(t, patience), 0))

	s.agree(t)
	r.awaitReady(t, true)
	r.stop(t)
	b.stop(t)
}
