package wait_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

func TestContextEndsWithTheTest(t *testing.T) {
	t.Parallel()
	var ctx context.Context
	t.Run("test", func(t *testing.T) {
		ctx = wait.Context(t, time.Hour)
		if ctx.Err() != nil {
			t.Error("it ended before the test")
		}
	})
	if ctx.Err() == nil {
		t.Error("it outlives the test")
	}
}

func TestContextEndsAfterItsTime(t *testing.T) {
	t.Parallel()
	ctx := wait.Context(t, time.Millisecond)
	<-ctx.Done()
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("%v", ctx.Err())
	}
}

func TestUntil(t *testing.T) {
	t.Parallel()
	calls := 0
	wait.Until(t, time.Minute, "the third call", func(context.Context) error {
		if calls++; calls < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	if calls != 3 {
		t.Errorf("%d calls, want 3", calls)
	}
}
