package proof_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.WithShared(m)) }
