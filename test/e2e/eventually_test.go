package e2e_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/poll"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

// eventually waits until check returns nil, and fails the test with its last error if that takes longer than within.
func eventually(t testing.TB, within time.Duration, check func(context.Context) error) {
	t.Helper()
	if err := poll.Until(wait.Context(t, within), 20*time.Millisecond, check); err != nil {
		t.Fatalf("not within %v: %v", within, err)
	}
}

// throughout calls check every 100 ms for d and fails the test at its first error. It is for states that must last,
// which no event can prove.
func throughout(t testing.TB, d time.Duration, check func(context.Context) error) {
	t.Helper()
	end := time.NewTimer(d)
	defer end.Stop()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	began := time.Now()
	for {
		if err := check(t.Context()); err != nil {
			t.Fatalf("after %v of %v: %v", time.Since(began).Round(time.Millisecond), d, err)
		}
		select {
		case <-ticker.C:
		case <-end.C:
			return
		}
	}
}

// wrap adds context to an error, if it is one.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
