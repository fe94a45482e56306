package logging_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
)

func TestRecentKeepsWarningsAndErrors(t *testing.T) {
	for _, format := range []string{logging.JSON, logging.Console} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			recent := &logging.Recent{}
			log, err := logging.New(&out, "info", format, recent)
			if err != nil {
				t.Fatal(err)
			}
			log.Info().Msg("fine")
			log.Warn().Str("topic", "a b").Int("attempt", 2000000).Err(errors.New("broken")).Msg("tried")
			log.Error().Msg("gave up")
			got, total := recent.Lines()
			want := []logging.Line{
				{Time: time.Now(), Level: "error", Message: "gave up"},
				{Time: time.Now(), Level: "warn", Message: "tried", Error: "broken", Fields: "attempt=2000000 topic=a b"},
			}
			if diff := cmp.Diff(want, got); diff != "" || total != 2 {
				t.Errorf("%s: %d lines\n%s", format, total, diff)
			}
			if n := bytes.Count(out.Bytes(), []byte("\n")); n != 3 {
				t.Errorf("%s: the log has %d lines", format, n)
			}
		})
	}
}

func TestRecentIsBounded(t *testing.T) {
	t.Parallel()
	recent := &logging.Recent{}
	log, err := logging.New(&bytes.Buffer{}, "info", logging.JSON, recent)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		log.Warn().Msg(fmt.Sprint(i))
	}
	lines, total := recent.Lines()
	if len(lines) != 20 || total != 50 || lines[0].Message != "49" || lines[19].Message != "30" {
		t.Errorf("%d of %d lines, from %q to %q", len(lines), total, lines[0].Message, lines[len(lines)-1].Message)
	}
}

func TestRecentCostsNothingBelowAWarning(t *testing.T) {
	recent := &logging.Recent{}
	log, err := logging.New(&bytes.Buffer{}, "warn", logging.JSON, recent)
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { log.Info().Str("a", "b").Msg("c") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
