package prune_test

import (
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
	"github.com/outbox-relay/outbox-relay/replication"
)

// Somebody looks at one pass that was started by hand: it says what it waits for, long before it gives up.
func TestOnePassSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	r := started(t, tableDDL)
	r.insert(1)
	r.refused(r.pass(func(c *prune.Config) { c.ConfirmTimeout = 3 * time.Second }), replication.Transient, "has not confirmed")
	if n := strings.Count(r.log.String(), "waiting for the slots"); n != 1 {
		t.Errorf("said %d times what it waits for:\n%s", n, r.log)
	}
}
