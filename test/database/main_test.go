// Package database_test does to PostgreSQL under a relay what operators, migrations, crashes and failovers do: slots are
// lost, moved and taken over by other histories, publications are changed, tables get another shape. It runs the
// relay's program between a real PostgreSQL and a Kafka inside the test program. Every fault must be survived, or end
// the relay with a named error; and after the repair that the error names every row that was committed has arrived.
package database_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(proctest.WithShared(pgtest.WithShared(m))) }

// patience is for anything that takes milliseconds on an idle machine.
const patience = 3 * time.Minute
