package prune

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// A long walk tells rows, rate and rest every ten seconds, and a short one nothing.
func TestProgress(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	now := time.Unix(0, 0)
	rest := int64(-1)
	p := &progress{log: zerolog.New(&log), began: now, told: now, expected: 10_000, now: func() time.Time { return now }, watch: func(_, r int64) { rest = r }}
	for range 25 {
		now = now.Add(time.Second)
		p.looked(window{rows: 300, due: 200, kept: 100})
		p.deleted(200)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if want := `"deleted":1800,"looked_at":3000,"rest_estimate":7000,"rows_per_second":180,"kept_unproven":1000`; len(lines) != 2 || !strings.Contains(lines[0], want) {
		t.Errorf("got %d lines, want 2 of which the first has %s:\n%s", len(lines), want, log.String())
	}
	if rest != 2500 {
		t.Errorf("rest %d, want 2500", rest)
	}
	p.looked(window{rows: 9000})
	if p.rest() != 0 {
		t.Errorf("rest %d though more rows came than were expected", p.rest())
	}
}
