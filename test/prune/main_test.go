// Package prune_test runs outbox-pruner as a user does: the program itself, with the role and the SQL of docs/pruner.md,
// beside the real relay.
package prune_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/proctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(proctest.WithShared(m)) }
