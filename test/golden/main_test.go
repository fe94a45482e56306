// Package golden replays what the real Debezium wrote: 68 cases, each a fresh database in a real PostgreSQL, the relay's
// own program started with Debezium's connector configuration, and a Kafka cluster in the test program. Every byte of
// the records must be what Debezium 3.6.1 has sent. testdata/README.md tells how the cases were recorded.
//
// Where Debezium fails, loses a record or corrupts bytes, betterCases says what the relay does instead.
package golden_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

func TestMain(m *testing.M) {
	waitTogether()
	goleak.VerifyTestMain(proctest.WithShared(pgtest.WithShared(m)))
}

// waitTogether lets more cases run in parallel than there are processors, because they mostly wait. A -parallel on the
// command line wins.
func waitTogether() {
	flag.Parse()
	const name, atOnce = "test.parallel", "6"
	if f := flag.Lookup(name); f.Value.String() == f.DefValue {
		if err := flag.Set(name, atOnce); err != nil {
			panic(err) // the flag is Go's own
		}
	}
}
