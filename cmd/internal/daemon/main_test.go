package daemon_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestExecuteWithoutSignal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		run    daemon.Run
		code   int
		stderr string
	}{
		{"good", func(context.Context, daemon.Process) error { return nil }, 0, ""},
		{"fails", func(context.Context, daemon.Process) error { return errors.New("broken") }, 1, "prog: broken\n"},
		{"configuration", func(context.Context, daemon.Process) error {
			return daemon.Configuration(errors.New("broken"))
		}, 2, "prog: broken\n"},
		{"reported", func(context.Context, daemon.Process) error {
			return daemon.Reported(daemon.NeedsHuman(errors.New("broken")))
		}, 3, ""},
		{"arguments", func(_ context.Context, p daemon.Process) error {
			fmt.Fprintln(p.Stderr, p.Args, p.Env)
			return nil
		}, 0, "[a b] [X=1]\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			p := daemon.Process{Args: []string{"a", "b"}, Env: []string{"X=1"}, Stderr: &stderr}
			if code := daemon.Execute(t.Context(), "prog", test.run, p, nil); code != test.code {
				t.Errorf("code: got %d, want %d", code, test.code)
			}
			if got := stderr.String(); got != test.stderr {
				t.Errorf("stderr: got %q, want %q", got, test.stderr)
			}
		})
	}
}

func TestPanicGivesOne(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	run := func(context.Context, daemon.Process) error { panic("invariant") }
	if code := daemon.Execute(t.Context(), "prog", run, daemon.Process{Stderr: &stderr}, nil); code != 1 {
		t.Errorf("code: got %d, want 1", code)
	}
	for _, want := range []string{"prog: panic: invariant", "main_test.go"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in %s", want, &stderr)
		}
	}
}

func TestFirstSignalStopsInOrder(t *testing.T) {
	t.Parallel()
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGTERM
	run := func(ctx context.Context, _ daemon.Process) error {
		<-ctx.Done()
		var s *daemon.SignalError
		if cause := context.Cause(ctx); !errors.As(cause, &s) || s.Signal != syscall.SIGTERM {
			t.Errorf("cause: got %v", cause)
		}
		return nil
	}
	var stderr bytes.Buffer
	if code := daemon.Execute(t.Context(), "prog", run, daemon.Process{Stderr: &stderr}, signals); code != 0 {
		t.Errorf("code: got %d, want 0", code)
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr: %s", &stderr)
	}
}

func TestFailureAfterSignalIsNotZero(t *testing.T) {
	t.Parallel()
	signals := make(chan os.Signal, 1)
	signals <- os.Interrupt
	run := func(ctx context.Context, _ daemon.Process) error {
		<-ctx.Done()
		return ctx.Err()
	}
	if code := daemon.Execute(t.Context(), "prog", run, daemon.Process{Stderr: &bytes.Buffer{}}, signals); code != 1 {
		t.Errorf("code: got %d, want 1", code)
	}
}

func TestSecondSignalLeavesAtOnce(t *testing.T) {
	t.Parallel()
	signals, release, ended := make(chan os.Signal), make(chan struct{}), make(chan struct{})
	run := func(ctx context.Context, _ daemon.Process) error {
		defer close(ended)
		<-ctx.Done()
		signals <- os.Interrupt // stopping takes too long for somebody
		<-release
		return nil
	}
	go func() { signals <- syscall.SIGTERM }()
	var stderr bytes.Buffer
	code := daemon.Execute(t.Context(), "prog", run, daemon.Process{Stderr: &stderr}, signals)
	close(release)
	<-ended
	if code != 1 {
		t.Errorf("code: got %d, want 1", code)
	}
	if want := "prog: second signal (interrupt), leaving at once\n"; stderr.String() != want {
		t.Errorf("stderr: got %q, want %q", &stderr, want)
	}
}

// TestEchoOfASignal sends one signal twice, as timeout(1) does: the second counts only when it is a wish of its own.
func TestEchoOfASignal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		second os.Signal
		after  time.Duration
		code   int
	}{
		{"at the same moment", syscall.SIGTERM, 0, 0},
		{"just within a second", syscall.SIGTERM, time.Second - 1, 0},
		{"after a second", syscall.SIGTERM, time.Second, 1},
		{"of another kind", os.Interrupt, 0, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			signals, release, ended := make(chan os.Signal), make(chan struct{}), make(chan struct{})
			var clock atomic.Int64
			start := time.Now()
			run := func(ctx context.Context, _ daemon.Process) error {
				defer close(ended)
				<-ctx.Done()
				clock.Store(int64(test.after))
				signals <- test.second
				<-release // closed already, or when Execute has left
				return nil
			}
			p := daemon.Process{Stderr: &bytes.Buffer{}, Now: func() time.Time { return start.Add(time.Duration(clock.Load())) }}
			go func() { signals <- syscall.SIGTERM }()
			if test.code == 0 {
				close(release) // an echo must not keep run from ending
			}
			if code := daemon.Execute(t.Context(), "prog", run, p, signals); code != test.code {
				t.Errorf("code: got %d, want %d", code, test.code)
			}
			if test.code != 0 {
				close(release)
			}
			<-ended
		})
	}
}
