package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
)

func TestBrokenOff(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	other := errors.New("slot x does not exist")
	if got := brokenOff(ctx, other); got != other { //nolint:errorlint // the very same
		t.Errorf("got %v before the signal", got)
	}
	cancel(&daemon.SignalError{Signal: os.Interrupt})
	for _, same := range []error{nil, other} {
		if got := brokenOff(ctx, same); got != same { //nolint:errorlint // the very same
			t.Errorf("%v became %v", same, got)
		}
	}
	got := brokenOff(ctx, fmt.Errorf("ask for the slot: %w", ctx.Err()))
	var signal *daemon.SignalError
	if !errors.As(got, &signal) || daemon.Code(got) != 1 {
		t.Errorf("got %v with exit code %d, want the signal and 1", got, daemon.Code(got))
	}
}
