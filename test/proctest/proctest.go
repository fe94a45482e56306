// Package proctest gives tests the relay's program, built once for all tests of a program, and takes care that no
// process of it is left. It is a thin layer over procs.
package proctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/child"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

const buildTimeout = 5 * time.Minute // a cold build cache on a busy machine

// builds holds the programs of this test program. It is package state on purpose: a test program has no other place
// that all its tests reach.
var builds struct {
	mu     sync.Mutex
	dir    string
	reaper *child.Reaper     // removes dir also after a panic
	paths  map[string]string // by import path
	over   bool
}

// M is what testing.M and goleak.TestingM have in common.
type M interface{ Run() int }

type sharedM struct{ m M }

// WithShared wraps m so that the built programs are removed after the tests. It can be combined with those of pgtest
// and kafkatest.
func WithShared(m M) M { return sharedM{m} }

func (s sharedM) Run() int {
	code := s.m.Run()
	builds.mu.Lock()
	defer builds.mu.Unlock()
	builds.over = true
	if builds.reaper == nil {
		return code
	}
	if err := builds.reaper.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "remove the programs built for tests:", err)
		return max(code, 1)
	}
	return code
}

// Main runs the tests, removes the built programs and exits. Use it as the whole of TestMain where goleak is not used.
func Main(m *testing.M) { os.Exit(WithShared(m).Run()) }

// Build returns the path of a program of this module, which the first call builds.
func Build(t testing.TB, pkg string) string {
	t.Helper()
	path, err := build(t.Context(), pkg)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func build(ctx context.Context, pkg string) (string, error) {
	builds.mu.Lock()
	defer builds.mu.Unlock()
	if builds.over {
		return "", errors.New("build a program: the tests are over")
	}
	if path, ok := builds.paths[pkg]; ok {
		return path, nil
	}
	if err := makeFolder(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, buildTimeout)
	defer cancel()
	path, err := procs.Build(ctx, pkg, builds.dir)
	if err == nil {
		builds.paths[pkg] = path
	}
	return path, err
}

// makeFolder creates the folder of the programs, once. builds.mu is held.
func makeFolder() error {
	if builds.reaper != nil {
		return nil
	}
	dir, err := os.MkdirTemp("", "outbox-bin-")
	if err != nil {
		return fmt.Errorf("make a folder for programs: %w", err)
	}
	builds.dir, builds.paths = dir, map[string]string{}
	builds.reaper, err = child.NewReaper("KILL", dir)
	return err
}

// Start runs the relay with the given arguments and additional environment (NAME=value). It is killed when the test
// ends, whatever came of it; a failed test gets its last lines.
func Start(t testing.TB, args, env []string) *procs.Proc {
	t.Helper()
	return StartProgram(t, procs.Config{Path: Build(t, procs.RelayPackage), Args: args, Env: env})
}

// StartProgram is Start for any program.
func StartProgram(t testing.TB, config procs.Config) *procs.Proc {
	t.Helper()
	p, err := procs.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("clean up: %v", err)
		}
		if t.Failed() {
			t.Logf("last lines of pid %d:\n%s", p.Pid(), p.Tail(40))
		}
	})
	return p
}

// MustEnd waits for the end of a relay, no longer than within, and demands an exit code, and words in what it wrote.
func MustEnd(t testing.TB, p *procs.Proc, within time.Duration, code int, words ...string) {
	t.Helper()
	got, err := p.Wait(wait.Context(t, within))
	if err != nil {
		t.Fatalf("wait for the relay's end: %v", err)
	}
	output := p.Stdout() + p.Stderr()
	if got != code {
		t.Fatalf("exit code %d, want %d:\n%s", got, code, output)
	}
	for _, word := range words {
		if !strings.Contains(output, word) {
			t.Errorf("the output does not contain %q:\n%s", word, output)
		}
	}
}
