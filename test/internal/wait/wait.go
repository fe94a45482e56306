// Package wait bounds what tests wait for: every wait ends with the test, or after a time that is long enough for a
// busy machine.
package wait

import (
	"context"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/poll"
)

// interval is how often Until looks.
const interval = 20 * time.Millisecond

// Context ends with the test, or after within.
func Context(t testing.TB, within time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	t.Cleanup(cancel)
	return ctx
}

// Until waits until check returns nil, and fails the test with its last error if that takes longer than within.
func Until(t testing.TB, within time.Duration, what string, check func(context.Context) error) {
	t.Helper()
	if err := poll.Until(Context(t, within), interval, check); err != nil {
		t.Fatalf("wait until %s: %v", what, err)
	}
}
