package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/floor"
)

// TestMain makes the test program one of the contenders when a benchmark in it starts it as such.
func TestMain(m *testing.M) {
	if floor.IsCommand(os.Args[1:]) {
		main()
	}
	goleak.VerifyTestMain(m)
}

func TestCommandLineErrors(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-nonsense"}, {"extra"}, {"-parts", "drain,lunch"}, {"-shapes", "("}, {"-rows", "-1"}} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, &stdout, &stderr); code != 2 || stdout.Len() > 0 || stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q; want 2 and a reason", args, code, &stdout, &stderr)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-help"}, &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), "-debezium") || stderr.Len() > 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, &stdout, &stderr)
	}
}

// TestEverything runs all parts, with hardly any rows and without Debezium, against real servers. What is measured is
// of no interest, that it can be is.
func TestEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts servers")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	docs := t.TempDir()
	args := []string{"-debezium=false", "-rows=300", "-rounds=1", "-seconds=1", "-shapes", "^1 row|100 kB", "-write", "-docs", docs}
	var stdout, stderr bytes.Buffer
	if code := run(ctx, args, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
	text := stdout.String()
	for _, want := range []string{
		"### 1 row per transaction, 300 B: 300 rows", "### 10 rows per transaction, 100 kB: 300 rows",
		"## Commit to consumed", "## Start to first record", "## Recovery after kill -9", "## Several relays for one outbox", "| 4 relays ", "## How cost grows", "### More topics", "| start to first record ", "](benchmarks.svg)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, "| outbox-relay ") && strings.Contains(line, none) {
			t.Errorf("something was not measured: %s", line)
		}
		if strings.Contains(line, docs) {
			t.Errorf("a folder of this machine is named: %s", line)
		}
	}
	if written, err := os.ReadFile(filepath.Join(docs, textFile)); err != nil || string(written) != text {
		t.Errorf("%s is not what was printed (%v)", textFile, err)
	}
	if _, err := os.Stat(filepath.Join(docs, chartFile)); err != nil {
		t.Error(err)
	}
}
