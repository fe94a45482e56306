package daemon_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
)

// child is the variable that makes the test binary play a daemon.
const child = "DAEMON_TEST_CHILD"

// TestRealSignals sends signals to a real process under Main. The process says when it is ready for each.
func TestRealSignals(t *testing.T) {
	if mode := os.Getenv(child); mode != "" {
		daemon.Main("child", func(ctx context.Context, p daemon.Process) error { return playDaemon(ctx, p, mode) })
	}
	t.Parallel()
	tests := []struct {
		mode    string
		signals []syscall.Signal
		want    int
	}{
		{"orderly", []syscall.Signal{syscall.SIGTERM}, 0},
		{"orderly", []syscall.Signal{syscall.SIGINT}, 0},
		{"stuck", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, 1},
		{"human", []syscall.Signal{syscall.SIGTERM}, 3},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.mode, test.signals), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestRealSignals$")
			cmd.Env = append(os.Environ(), child+"="+test.mode)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			for _, s := range test.signals {
				if !lines.Scan() {
					t.Errorf("the process ended before %v", s)
				}
				if err := cmd.Process.Signal(s); err != nil {
					t.Error(err)
				}
			}
			_, _ = io.Copy(io.Discard, out)
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != test.want {
				t.Errorf("exit code: got %d, want %d", got, test.want)
			}
		})
	}
}

// playDaemon writes a line when it is ready for a signal.
func playDaemon(ctx context.Context, p daemon.Process, mode string) error {
	fmt.Fprintln(p.Stdout, "up")
	<-ctx.Done()
	switch mode {
	case "stuck":
		<-time.After(1100 * time.Millisecond) // or the next signal would be an echo of the first
		fmt.Fprintln(p.Stdout, "stopping")
		<-context.WithoutCancel(ctx).Done() // for ever
	case "human":
		return daemon.NeedsHuman(errors.New("slot lost"))
	}
	return nil
}
