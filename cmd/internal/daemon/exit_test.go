package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

func TestCode(t *testing.T) {
	t.Parallel()
	plain := errors.New("plain")
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"nil", nil, 0},
		{"configuration of nil", daemon.Configuration(nil), 0},
		{"human of nil", daemon.NeedsHuman(nil), 0},
		{"reported nil", daemon.Reported(nil), 0},
		{"plain", plain, 1},
		{"cancelled", context.Canceled, 1},
		{"configuration", daemon.Configuration(plain), 2},
		{"needs a human", daemon.NeedsHuman(plain), 3},
		{"wrapped", fmt.Errorf("start: %w", daemon.NeedsHuman(plain)), 3},
		{"outermost wins", daemon.Configuration(daemon.NeedsHuman(plain)), 2},
		{"reported", daemon.Reported(daemon.NeedsHuman(plain)), 3},
		{"reported plain", daemon.Reported(plain), 1},
		{"joined", errors.Join(plain, daemon.Configuration(plain), plain), 2},
		{"joined gravest", errors.Join(daemon.NeedsHuman(plain), daemon.Configuration(plain)), 3},
		{"joined plain", errors.Join(plain, plain), 1},
		{"joined and wrapped", fmt.Errorf("a: %w, b: %w", plain, fmt.Errorf("c: %w", daemon.NeedsHuman(plain))), 3},
		{"mistakes in options", &options.MistakesError{}, 2},
		{"a zero by mistake", &daemon.ExitError{Code: daemon.OK, Err: plain}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := daemon.Code(test.err); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func TestWrappersKeepTheError(t *testing.T) {
	t.Parallel()
	plain := errors.New("plain")
	for _, err := range []error{daemon.Configuration(plain), daemon.NeedsHuman(plain), daemon.Reported(plain)} {
		if err.Error() != "plain" || !errors.Is(err, plain) {
			t.Errorf("%T: text %q, is plain: %v", err, err, errors.Is(err, plain))
		}
	}
}
