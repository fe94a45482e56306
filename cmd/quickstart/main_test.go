package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
)

// screen is an output that a test can wait on.
type screen struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{} // holds one token while there is news
}

func newScreen() *screen { return &screen{changed: make(chan struct{}, 1)} }

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// find waits until the pattern is on the screen and returns its first group.
func (s *screen) find(ctx context.Context, pattern string) (string, error) {
	re := regexp.MustCompile(pattern)
	for {
		if m := re.FindStringSubmatch(s.String()); m != nil {
			return m[1], nil
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			return "", fmt.Errorf("%s did not show: %w", pattern, ctx.Err())
		}
	}
}

// played is a quickstart that runs in this process.
type played struct {
	*screen
	signals chan os.Signal
	code    chan int
}

// play starts it. What is left of it in the temporary folder when the test ends is an error.
func play(t *testing.T, args ...string) played {
	t.Helper()
	folders := filepath.Join(os.TempDir(), "outbox-quickstart-*")
	before, _ := filepath.Glob(folders)
	t.Cleanup(func() {
		if after, _ := filepath.Glob(folders); !cmp.Equal(before, after) {
			t.Errorf("folders left behind: %s", cmp.Diff(before, after))
		}
	})
	p := played{newScreen(), make(chan os.Signal, 1), make(chan int, 1)}
	process := daemon.Process{Args: args, Stdout: p.screen, Stderr: p.screen}
	go func() { p.code <- daemon.Execute(context.Background(), "quickstart", run, process, p.signals) }()
	return p
}

// ends waits for the exit code and looks that the relay's process is gone.
func (p played) ends(t *testing.T, code int) {
	t.Helper()
	if got := <-p.code; got != code { // bounded by the time limits of the demo itself
		t.Errorf("exit code: got %d, want %d", got, code)
	}
	if t.Failed() {
		t.Log(p.String())
	}
	if m := regexp.MustCompile(`pid (\d+)`).FindStringSubmatch(p.String()); m != nil {
		pid, _ := strconv.Atoi(m[1])
		if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
			t.Errorf("the relay still runs: %v", err)
		}
	}
}

func TestOnce(t *testing.T) {
	p := play(t, "-once")
	p.ends(t, 0)
	for _, want := range []string{
		"1000 events of 200 orders arrived, each once, unchanged, in order within each order\n",
		"from commit to consumer: p50 ",
		"billing has 200 invoices over 430000 cents from 1000 events, as the orders say\n",
		"the relay ended with exit code 0",
	} {
		if !strings.Contains(p.String(), want) {
			t.Errorf("no %q in:\n%s", want, p)
		}
	}
}

// TestLive watches an order from its first event to its last, then presses Ctrl-C.
func TestLive(t *testing.T) {
	p := play(t)
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	if _, err := p.find(ctx, `(?m)^\S+ +[\d.]+ ms  outbox\.event\.order/\d +1  (.*"shipped".*})$`); err != nil {
		t.Error(err)
	}
	p.signals <- os.Interrupt
	p.ends(t, 0)
	for _, want := range []string{"all arrived, each once, in order within each order\n", " events, as the orders say\n"} {
		if !strings.Contains(p.String(), want) {
			t.Errorf("no %q in:\n%s", want, p)
		}
	}
}

func TestRelayKilled(t *testing.T) {
	p := play(t)
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	pid, err := p.find(ctx, `(?s)pid (\d+),.*"placed"`)
	if err != nil {
		t.Error(err)
	}
	if n, err := strconv.Atoi(pid); err != nil || syscall.Kill(n, syscall.SIGKILL) != nil {
		t.Errorf("could not kill the relay, pid %q", pid)
		p.signals <- os.Interrupt
	}
	p.ends(t, 1)
	if want := "quickstart: the relay ended by itself\nthe relay ended with exit code -1"; !strings.Contains(p.String(), want) {
		t.Errorf("no %q in:\n%s", want, p)
	}
}

func TestStoppedWhileStarting(t *testing.T) {
	p := play(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := p.find(ctx, `(starting PostgreSQL)`); err != nil {
		t.Error(err)
	}
	p.signals <- os.Interrupt
	p.ends(t, 1)
}

func TestCommandLineMistakes(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-h"}, 0, "-relay program"},
		{[]string{"-twice"}, 2, "quickstart: flag provided but not defined: -twice; -help lists what there is\n"},
		{[]string{"now"}, 2, "quickstart: unexpected argument \"now\"; -help lists what there is\n"},
	} {
		p := play(t, test.args...)
		p.ends(t, test.code)
		if !strings.Contains(p.String(), test.want) {
			t.Errorf("%q: no %q in %q", test.args, test.want, p)
		}
	}
}
