package pipeline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pglogrepl"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/replication"
)

// The way out that a stop names works as it is written there.
func TestSkipAsTheStopSays(t *testing.T) {
	t.Parallel()
	r := newRig(t, laxTable)
	run := r.start(t)
	run.streaming(t)
	r.db.Exec(t, `INSERT INTO outbox VALUES ('1', 'all', 'k', 'T', 'a'), ('2', NULL, 'k', 'T', 'b'), ('3', 'all', 'k', 'T', 'c')`)
	err := run.wait(t)
	wantProblem(t, err, replication.Human, "row 2 of transaction")
	_, options, found := strings.Cut(err.Error(), "-skip.lsn '")
	lsn, options, _ := strings.Cut(options, "'")
	_, id, byID := strings.Cut(options, "-skip.id '")
	id, _, _ = strings.Cut(id, "'")
	if !found || !byID {
		t.Fatalf("no way out in %v", err)
	}
	r.relay.Errors.Skip, err = pipeline.ParseSkipLSN(lsn)
	if err != nil {
		t.Fatal(err)
	}
	r.relay.Errors.Skip.ID = id
	run = r.start(t)
	got := r.records(t, r.topic, 3) // the first came before the stop, and once more
	run.stop(t)
	wantTexts(t, got, "k a id=1", "k a id=1", "k c id=3")
	run.log.await(t, "event skipped by hand")
	if n := run.count(t, "outbox_relay_skipped_events_total"); n != 1 {
		t.Errorf("%v events were skipped", n)
	}
	r.relay.Errors.Skip = pipeline.Skip{}
	run = r.start(t)
	run.streaming(t)
	run.stop(t)
	if n := r.held(r.topic); n != 3 {
		t.Errorf("%d records, want 3: the skip was confirmed", n)
	}
}

// An LSN alone does not say which of two events is meant: neither is given up.
func TestSkipIsNotAmbiguous(t *testing.T) {
	t.Parallel()
	r := newRig(t, laxTable)
	run := r.start(t)
	run.streaming(t)
	r.db.Exec(t, `INSERT INTO outbox VALUES ('1', NULL, 'k', 'T', 'a'), ('2', 'all', 'k', 'T', 'b')`)
	err := run.wait(t)
	_, lsn, _ := strings.Cut(err.Error(), "-skip.lsn '")
	lsn, _, _ = strings.Cut(lsn, "#")
	r.relay.Errors.Skip, err = pipeline.ParseSkipLSN(lsn)
	if err != nil {
		t.Fatal(err)
	}
	run = r.start(t)
	wantProblem(t, run.wait(t), replication.Configuration, "more than one event")
	wantNothingSkipped(t, run)
	r.relay.Errors.Skip.Row = 1
	run = r.start(t)
	got := r.records(t, r.topic, 1)
	run.stop(t)
	wantTexts(t, got, "k b id=2")
}

// A skip of which nothing comes, because a later event of the transaction stops the
// relay, is not told as if the event were given up.
func TestSkipBeforeAPoison(t *testing.T) {
	t.Parallel()
	r := newRig(t, laxTable)
	run := r.start(t)
	run.streaming(t)
	r.db.Exec(t, `INSERT INTO outbox VALUES ('1', 'all', 'k', 'T', 'a'), ('2', NULL, 'k', 'T', 'b')`)
	err := run.wait(t)
	_, lsn, _ := strings.Cut(err.Error(), "-skip.lsn '")
	lsn, _, _ = strings.Cut(lsn, "#")
	r.relay.Errors.Skip, err = pipeline.ParseSkipLSN(lsn + "#1")
	if err != nil {
		t.Fatal(err)
	}
	run = r.start(t)
	wantProblem(t, run.wait(t), replication.Human, "row 2 of transaction")
	wantNothingSkipped(t, run)
}

func wantNothingSkipped(t *testing.T, run *running) {
	t.Helper()
	if n := run.total(t, "outbox_relay_skipped_events_total"); n != 0 || strings.Contains(fmt.Sprint(run.log), "given up; take") {
		t.Errorf("%v events count as skipped, though nothing was given up:\n%s", n, run.log)
	}
}

// A skip that matches nothing is warned of, and skips nothing.
func TestSkipOfNothing(t *testing.T) {
	t.Parallel()
	for _, skip := range []pipeline.Skip{{ID: "nobody"}, {LSN: 1}} {
		t.Run(fmt.Sprintf("%+v", skip), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, laxTable)
			r.relay.Errors.Skip = skip
			run := r.start(t)
			run.streaming(t)
			run.log.await(t, "has matched no event")
			r.db.Exec(t, `INSERT INTO outbox VALUES ('1', 'all', 'k', 'T', 'a')`)
			r.records(t, r.topic, 1)
			run.stop(t)
		})
	}
}

func TestParseSkipLSN(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]pipeline.Skip{
		"": {}, "16/B374D848": {LSN: 0x16_B374D848}, "0/A#3": {LSN: 10, Row: 3},
	} {
		if got, err := pipeline.ParseSkipLSN(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"x", "0/0", "0/A#", "0/A#0", "0/A#-1", "0/A#x", "#1", "/"} {
		if got, err := pipeline.ParseSkipLSN(text); err == nil {
			t.Errorf("%q was taken for %+v", text, got)
		}
	}
	if pglogrepl.LSN(10).String() != "0/A" {
		t.Error("an LSN is not written as it is read here")
	}
}
