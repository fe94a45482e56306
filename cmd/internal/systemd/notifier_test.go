package systemd_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/systemd"
)

// daemon is a Probe whose answers a test changes.
type daemon struct {
	mu          sync.Mutex
	live, ready error
}

func (d *daemon) set(live, ready error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.live, d.ready = live, ready
}

func (d *daemon) Live() error  { d.mu.Lock(); defer d.mu.Unlock(); return d.live }
func (d *daemon) Ready() error { d.mu.Lock(); defer d.mu.Unlock(); return d.ready }

// supervisor is the socket that systemd would read.
type supervisor struct {
	*net.UnixConn
	name string
}

func listen(t *testing.T, name string) supervisor {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return supervisor{conn, name}
}

// next returns the lines of the next datagram; nil if none comes in time.
func (s supervisor) next(t *testing.T, within time.Duration) []string {
	t.Helper()
	if err := s.SetReadDeadline(time.Now().Add(within)); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4096)
	n, err := s.Read(buf)
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		t.Fatal(err)
	}
	return strings.Split(string(buf[:n]), "\n")
}

// await reads until a datagram has the line, and returns all lines up to then.
func (s supervisor) await(t *testing.T, line string) []string {
	t.Helper()
	var all []string
	for end := time.Now().Add(20 * time.Second); ; {
		lines := s.next(t, time.Until(end))
		if lines == nil {
			t.Fatalf("no %q, only %q", line, all)
		}
		all = append(all, lines...)
		for _, l := range lines {
			if l == line {
				return all
			}
		}
	}
}

// env is the environment of a service whose watchdog bites after d.
func (s supervisor) env(d time.Duration) []string {
	return []string{"NOTIFY_SOCKET=" + s.name, fmt.Sprintf("WATCHDOG_USEC=%d", d.Microseconds()), fmt.Sprintf("WATCHDOG_PID=%d", os.Getpid())}
}

// run reports in the background until the test ends. It returns what begins the stop.
func run(t *testing.T, env []string, d *daemon) (stop func()) {
	t.Helper()
	n, err := systemd.FromEnv(env)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done, stopping := make(chan error, 1), make(chan struct{})
	go func() { done <- n.Run(ctx, stopping, d) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return sync.OnceFunc(func() { close(stopping) })
}

func TestReadyIsToldOnceAndOnlyWhenReady(t *testing.T) {
	t.Parallel()
	s := listen(t, filepath.Join(t.TempDir(), "notify"))
	d := &daemon{ready: errors.Join(errors.New("not streaming"), errors.New("no broker"))}
	stop := run(t, s.env(60*time.Millisecond), d)
	before := s.await(t, "STATUS=not ready: not streaming; no broker")
	before = append(before, s.await(t, "WATCHDOG=1")...)
	if slices.Contains(before, "READY=1") {
		t.Errorf("ready before it was: %q", before)
	}
	d.set(nil, nil)
	s.await(t, "READY=1")
	d.set(nil, errors.New("gone"))
	s.await(t, "STATUS=not ready: gone")
	d.set(nil, nil)
	if again := s.await(t, "STATUS=ready"); slices.Contains(again, "READY=1") {
		t.Errorf("READY=1 twice: %q", again)
	}
	stop()
	s.await(t, "STOPPING=1")
	for range 3 { // the stop is watched too, and told once
		if again := s.await(t, "WATCHDOG=1"); slices.Contains(again, "STOPPING=1") {
			t.Errorf("STOPPING=1 twice: %q", again)
		}
	}
}

func TestWatchdogIsPingedWhileAlive(t *testing.T) {
	t.Parallel()
	s := listen(t, filepath.Join(t.TempDir(), "notify"))
	const bite = 300 * time.Millisecond
	d := &daemon{}
	run(t, s.env(bite), d)
	for range 5 {
		s.await(t, "WATCHDOG=1")
	}
	d.set(errors.New("stuck"), errors.New("stuck"))
	s.await(t, "STATUS=not ready: stuck")
	if got := s.next(t, bite); got != nil {
		t.Errorf("a daemon that is stuck sent %q", got)
	}
}

// TestAbstractSocket is how systemd gives its socket to services with a mount namespace of their own.
func TestAbstractSocket(t *testing.T) {
	t.Parallel()
	s := listen(t, fmt.Sprintf("@outbox-relay-test-%d", os.Getpid()))
	run(t, []string{"NOTIFY_SOCKET=" + s.name}, &daemon{})
	if got, want := s.next(t, 10*time.Second), "READY=1 STATUS=ready"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWithoutSupervisor(t *testing.T) {
	t.Parallel()
	n, err := systemd.FromEnv([]string{"NOTIFY_SOCKET=", "WATCHDOG_USEC=1000"})
	if err != nil || n.Enabled() {
		t.Fatalf("enabled %v, %v", n.Enabled(), err)
	}
	if err := n.Run(t.Context(), nil, nil); err != nil {
		t.Error(err)
	}
}

func TestEnvironmentThatMakesNoSense(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		env     []string
		want    string
		enabled bool
	}{
		{"another kind of socket", []string{"NOTIFY_SOCKET=vsock:2:1234"}, "NOTIFY_SOCKET", false},
		{"no number", []string{"NOTIFY_SOCKET=/run/x", "WATCHDOG_USEC=30s"}, "WATCHDOG_USEC", true},
		{"no time", []string{"NOTIFY_SOCKET=/run/x", "WATCHDOG_USEC=0"}, "WATCHDOG_USEC", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n, err := systemd.FromEnv(tt.env)
			if err == nil || !strings.Contains(err.Error(), tt.want) || n.Enabled() != tt.enabled {
				t.Errorf("enabled %v, %v", n.Enabled(), err)
			}
		})
	}
}

// TestSocketThatIsGone must not end the daemon, but be told.
func TestSocketThatIsGone(t *testing.T) {
	t.Parallel()
	n, err := systemd.FromEnv([]string{"NOTIFY_SOCKET=" + filepath.Join(t.TempDir(), "nothing")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := n.Run(ctx, nil, &daemon{}); err == nil || !strings.Contains(err.Error(), "notify systemd at") {
		t.Errorf("got %v", err)
	}
}

// TestWatchdogOfAnotherProcess is what a shell between systemd and the program makes of it.
func TestWatchdogOfAnotherProcess(t *testing.T) {
	t.Parallel()
	s := listen(t, filepath.Join(t.TempDir(), "notify"))
	run(t, []string{"NOTIFY_SOCKET=" + s.name, "WATCHDOG_USEC=1000", "WATCHDOG_PID=1"}, &daemon{})
	if got := s.next(t, 10*time.Second); strings.Join(got, " ") != "READY=1 STATUS=ready" {
		t.Errorf("got %q", got)
	}
}
