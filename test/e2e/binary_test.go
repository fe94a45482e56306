package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/internal/child"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// racy is the relay with the race detector in it. It is package state on purpose: it is built once for all tests.
var racy struct {
	once   sync.Once
	reaper *child.Reaper // removes the program, also after a panic
	path   string
	err    error
}

// plainRelay is the relay as a user builds it: for tests of memory and speed.
func plainRelay(t testing.TB) string {
	t.Helper()
	return proctest.Build(t, procs.RelayPackage)
}

// faultyRelay is the relay for tests of faults: it has the race detector if the tests have it.
func faultyRelay(t testing.TB) string {
	t.Helper()
	if !raceDetector {
		return plainRelay(t)
	}
	racy.once.Do(buildRacy)
	if racy.err != nil {
		t.Fatalf("build the relay with the race detector: %v", racy.err)
	}
	return racy.path
}

func buildRacy() {
	dir, err := os.MkdirTemp("", "outbox-racy-")
	if err != nil {
		racy.err = err
		return
	}
	if racy.reaper, racy.err = child.NewReaper("KILL", dir); racy.err != nil {
		return
	}
	racy.path = filepath.Join(dir, "outbox-relay")
	if out, err := exec.Command("go", "build", "-race", "-o", racy.path, procs.RelayPackage).CombinedOutput(); err != nil {
		racy.err = fmt.Errorf("go build -race: %w\n%s", err, out)
	}
}

// haltAtRace makes a program with the race detector end with exit code 66 at the first race that it meets.
const haltAtRace = "GORACE=halt_on_error=1 exitcode=66"
