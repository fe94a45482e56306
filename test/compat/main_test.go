// Package compat compares the relay with the real Debezium, side by side on the same tables: TestDifferential over a
// matrix of configurations, column types and payloads, TestTakeover at the change from one to the other and back.
//
// Both need Java, and minutes; -short leaves them out.
package compat_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

var (
	full = flag.Bool("full", false, "compare all configurations instead of a choice of them, with more rows")
	seed = flag.Uint64("seed", 1, "of the rows that are made by chance")
	dump = flag.String("dump", "", "`folder` for the records of both sides of configurations that differ")
	only = flag.String("configurations", "", "compare only configurations whose name this `expression` finds")
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(proctest.WithShared(kafkatest.WithShared(pgtest.WithShared(m))))
}
