package logging_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
)

// TestLines runs in a bubble, whose clock stands at midnight UTC, 2000-01-01.
func TestLines(t *testing.T) {
	tests := []struct {
		level, format string
		want          string
	}{
		{"info", logging.JSON, `{"level":"info","slot":"a","time":"2000-01-01T00:00:00.000Z","message":"started"}` + "\n"},
		{"info", logging.Auto, `{"level":"info","slot":"a","time":"2000-01-01T00:00:00.000Z","message":"started"}` + "\n"},
		{"debug", logging.Console, "2000-01-01T00:00:00.000Z INFO  started slot=a\n"},
		{"warn", logging.JSON, ""},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			log, err := logging.New(&out, test.level, test.format)
			if err != nil {
				t.Fatal(err)
			}
			log.Info().Str("slot", "a").Msg("started")
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("%s %s: %s", test.level, test.format, diff)
			}
		})
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ level, format, want string }{
		{"loud", logging.JSON, `unknown log level "loud"`},
		{"", logging.JSON, `unknown log level ""`},
		{"info", "xml", `unknown log format "xml"`},
	} {
		if _, err := logging.New(&bytes.Buffer{}, test.level, test.format); err == nil || err.Error() != test.want {
			t.Errorf("%q %q: got %v, want %s", test.level, test.format, err, test.want)
		}
	}
}

func TestOfferedNamesWork(t *testing.T) {
	t.Parallel()
	for _, level := range logging.Levels() {
		for _, format := range logging.Formats() {
			log, err := logging.New(&bytes.Buffer{}, level, format)
			if err != nil || log.GetLevel().String() != level {
				t.Errorf("%s %s: %v, level %s", level, format, err, log.GetLevel())
			}
		}
	}
}

// TestFileIsNoTerminal covers what a daemon's stderr is under systemd or in a container.
func TestFileIsNoTerminal(t *testing.T) {
	t.Parallel()
	f, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log, err := logging.New(f, "info", logging.Auto)
	if err != nil {
		t.Fatal(err)
	}
	log.Error().Err(errors.New("broken")).Msg("stopped")
	line, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]string
	if err := json.Unmarshal(line, &fields); err != nil || fields["error"] != "broken" {
		t.Errorf("%v in %s", err, line)
	}
	if !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`).MatchString(fields["time"]) {
		t.Errorf("time: %s", fields["time"])
	}
}

func TestConcurrentLinesStayWhole(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, err := logging.New(&out, "info", logging.Console)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 100 {
				log.Info().Int("writer", i).Msg("line")
			}
		})
	}
	wg.Wait()
	whole := regexp.MustCompile(`^\S+Z INFO  line writer=\d$`)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 800 {
		t.Errorf("got %d lines", len(lines))
	}
	for _, line := range lines {
		if !whole.MatchString(line) {
			t.Fatalf("%q", line)
		}
	}
}
