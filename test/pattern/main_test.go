// Package pattern_test tests the outbox pattern as a whole, against the five faults that it has to survive: the order
// service and the billing of examples/orders, with the relay's program between a real PostgreSQL and a real Apache
// Kafka. Each fault is made at its exact moment, by a proxy in the way or a signal, and it is proven that the moment was
// that one.
//
// What must hold afterwards is the same each time: every order and its invoice agree; the events of an order arrived
// in the order of their commits; and no event had its effect twice.
package pattern_test

import (
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(proctest.WithShared(pgtest.WithShared(m))) }

// patience is for anything that takes milliseconds on an idle machine.
const patience = 2 * time.Minute

// must fails the test at an error.
func must(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", what, err))
	}
}
