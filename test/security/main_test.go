// Package security_test tests the relay's program against servers that let nobody in without proof: a real PostgreSQL
// with hostssl, client certificates and SCRAM, a real Apache Kafka with mTLS, SASL_SSL and ACLs. All certificates are
// made by the tests.
package security_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(proctest.WithShared(kafkatest.WithShared(pgtest.WithShared(m))))
}
