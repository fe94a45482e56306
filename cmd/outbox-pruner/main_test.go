package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
)

// execute runs the whole program in this process.
func execute(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var out, errOut bytes.Buffer
	code = daemon.Execute(ctx, program, run, daemon.Process{Args: args, Stdout: &out, Stderr: &errOut}, nil)
	return code, out.String(), errOut.String()
}

func TestInformation(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{"-help": "-slot.name", "-version": program + " ", "-print-sql": setupSQL, "-print-metrics": "outbox_pruner_rows_deleted_total"} {
		if code, stdout, stderr := execute(t, arg); code != 0 || !strings.Contains(stdout, want) || stderr != "" {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", arg, code, stdout, stderr)
		}
	}
}

// What the manual tells people to run is what -print-sql prints and the end-to-end test runs.
func TestManualHasTheSQL(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/pruner.md")
	if err != nil {
		t.Fatal(err)
	}
	unindented := strings.ReplaceAll(string(text), "\n   ", "\n")
	if !strings.Contains(unindented, setupSQL) {
		t.Error("docs/pruner.md does not have setup.sql as it is")
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		want string
		args []string
	}{
		{"is no slot name", []string{"-slot.name", "A"}},
		{"named twice", []string{"-slot.name", "a,a"}},
		{"2 names for 3 slots", []string{"-slot.name", "a,b,c", "-publication.name", "p,q"}},
		{"name the relay's slot", []string{"-slot.name", ","}},
		{"is not a table's name", []string{"-table.include.list", "a.b.c"}},
		{"name a table", []string{"-table.include.list", ""}},
		{"is named twice", []string{"-table.include.list", "outbox,public.outbox"}},
		{"needs table.field.event.timestamp", []string{"-retention.by", "column"}},
		{"is in the future", []string{"-assume.relayed.before", "2199-01-01T00:00:00Z"}},
		{"is not a time like", []string{"-assume.relayed.before", "yesterday"}},
		{"is not the name of a time zone", []string{"-time.zone", "Mars/Phobos"}},
		{"is not one of keep, drop, detach", []string{"-partitions", "truncate"}},
		{"is less than 1", []string{"-batch.size", "0"}},
	}
	for _, tt := range tests {
		code, _, stderr := execute(t, append(tt.args, "-once", "-database.url", "postgres://nobody@127.0.0.1:1/x")...)
		if code != daemon.Config || !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: exit %d and %q, want 2 and %q", tt.args, code, stderr, tt.want)
		}
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	outbox := prune.Target{Table: catalog.Name{Schema: "public", Table: "outbox"}, Age: prune.ByObserved, Zone: time.UTC, Retention: 168 * time.Hour}
	column := outbox
	column.Age, column.Column = prune.ByColumn, "at"
	inbox := prune.Target{Table: catalog.Name{Schema: "public", Table: "inbox"}, Age: prune.ByColumn, Column: "processed_at", Zone: time.UTC, Retention: 720 * time.Hour, Inbox: true}
	tests := []struct {
		name string
		args []string
		want []prune.Target
	}{
		{"nothing said", nil, []prune.Target{outbox}},
		{"a time column", []string{"-table.field.event.timestamp", "at"}, []prune.Target{column}},
		{"an inbox alone", []string{"-inbox.table", "inbox"}, []prune.Target{inbox}},
		{"both", []string{"-inbox.table", "inbox", "-table.include.list", "outbox"}, []prune.Target{outbox, inbox}},
	}
	for _, tt := range tests {
		set, s := declare()
		if err := set.Parse(tt.args, nil); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, s.prune.Targets, cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestSlotsAndPublications(t *testing.T) {
	t.Parallel()
	set, s := declare()
	if err := set.Parse([]string{"-slot.name", "a,b", "-publication.name", "p,q"}, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]prune.Slot{{Name: "a", Publication: "p"}, {Name: "b", Publication: "q"}}, s.prune.Slots); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A database that is not there ends a single pass with 1, so that the next one of cron may help.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	code, _, stderr := execute(t, "-once", "-database.url", "postgres://nobody:geheim@127.0.0.1:1/x?sslmode=disable")
	if code != daemon.Restart || !strings.Contains(stderr, "connect to PostgreSQL") || strings.Contains(stderr, "geheim") {
		t.Errorf("exit %d and\n%s", code, stderr)
	}
}
