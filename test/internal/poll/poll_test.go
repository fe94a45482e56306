package poll_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/poll"
)

func TestUntilSuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start, calls := time.Now(), 0
		err := poll.Until(t.Context(), time.Second, func(context.Context) error {
			if calls++; calls < 4 {
				return errors.New("not yet")
			}
			return nil
		})
		if took := time.Since(start); err != nil || calls != 4 || took != 3*time.Second {
			t.Errorf("error %v after %d calls and %v, want none after 4 calls and 3 s", err, calls, took)
		}
	})
}

func TestUntilTellsWhyItWaited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late, notYet := errors.New("too late"), errors.New("not yet")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, late)
		defer cancel()
		err := poll.Until(ctx, 3*time.Second, func(ctx context.Context) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return notYet
		})
		if !errors.Is(err, late) || !errors.Is(err, notYet) {
			t.Errorf("got %v, want the cause of the end and what the check said", err)
		}
	})
}
