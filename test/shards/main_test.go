// Package shards_test runs several relays on one outbox, each with a shard of its rows: who makes what at a first start,
// what is refused, and that crashes and a change of their number lose nothing and keep the order of each key. It runs
// the relay's program between a real PostgreSQL and a Kafka inside the test program.
package shards_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(proctest.WithShared(pgtest.WithShared(m))) }

// patience is for anything that takes milliseconds on an idle machine.
const patience = 2 * time.Minute
