// Package docs_test takes the documents at their word: the README and everything in docs/. Each command line is given to
// the program that it names, SQL goes to a real server, links and images are looked up, and the guides are followed
// from the first command to the last between a real PostgreSQL and a Kafka cluster in the test program.
package docs_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(proctest.WithShared(pgtest.WithShared(m))) }
