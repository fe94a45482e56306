// Package e2e tests the relay as a user runs it: the program itself, between a real PostgreSQL and a real Apache Kafka,
// with the faults that both meet in practice. What arrived is judged by package judge, which reads with another client
// library than the relay writes with.
//
// Tests of load and memory run one after the other, so that they have the machine for themselves; the others share one
// server and one broker and run in parallel. With -race, the relay of the fault tests is built with the race detector
// too, and a race ends it with exit code 66, which fails the test.
package e2e_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

func TestMain(m *testing.M) {
	waitTogether()
	goleak.VerifyTestMain(withRacyRelay(proctest.WithShared(kafkatest.WithShared(pgtest.WithShared(m)))))
}

// waitTogether lets more tests run in parallel than there are processors, because they mostly wait. A -parallel on the
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

// withRacyRelay removes the relay that was built with the race detector, after the tests.
func withRacyRelay(m goleak.TestingM) goleak.TestingM { return racyM{m} }

type racyM struct{ goleak.TestingM }

func (m racyM) Run() int {
	code := m.TestingM.Run()
	if racy.reaper == nil {
		return code
	}
	if err := racy.reaper.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "remove the relay built for tests:", err)
		return max(code, 1)
	}
	return code
}
