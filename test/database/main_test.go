// Package database_test does to PostgreSQL under a relay what operators, migrations, crashes and failovers do: slots are
// lost, moved and taken over by other histories, publications are changed, tables get another shape. It runs the
// relay's program between a real PostgreSQL and a Kafka inside the test program. Every fault must be survived, or end
// the relay with a named error; and after the repair that the error names every row that was committed has arrived.
package database_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(proctest.WithShared(pgtest.WithShared(m))) }

// patience is for anything that takes milliseconds on an idle machine.
const patience = 3 * time.Minute

// bounded is a context that ends with the test, or after patience.
func bounded(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits until check returns nil.
func eventually(t testing.TB, what string, check func(context.Context) error) {
	t.Helper()
	if err := poll.Until(bounded(t), 20*time.Millisecond, check); err != nil {
		t.Fatalf("wait until %s: %v", what, err)
	}
}
