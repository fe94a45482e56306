package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
)

// parsed is the settings of a command line, or ends the test.
func parsed(t *testing.T, args ...string) *settings {
	t.Helper()
	set, s := declare()
	if err := set.Parse(append([]string{"-bootstrap.servers", "kafka:9092"}, args...), nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContextHeaders(t *testing.T) {
	t.Parallel()
	header := func(name, value string) router.ContextHeader {
		return router.ContextHeader{Key: "__debezium.context." + name, Value: value}
	}
	three := []router.ContextHeader{header("connectorLogicalName", "srv"), header("taskId", "0"), header("connectorName", "postgresql")}
	tests := []struct {
		args []string
		want []router.ContextHeader
	}{
		{nil, nil},
		{[]string{"-extended.headers.enabled", "-debezium.compatibility", "3.1"}, nil},
		{[]string{"-extended.headers.enabled", "-debezium.compatibility", "3.3"}, three},
		{[]string{"-extended.headers.enabled"}, append(three[:3:3], header("runId", "UUID"))},
	}
	for _, tt := range tests {
		got := parsed(t, append(tt.args, "-topic.prefix", "srv")...).router.Context
		if n := len(got); n == 4 && uuid7.MatchString(got[3].Value) {
			got[3].Value = "UUID"
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v: headers (-want +got):\n%s", tt.args, diff)
		}
	}
}

var uuid7 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestRunID(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(0x0191_2345_6789)
	first, second := newRunID(at), newRunID(at)
	if !uuid7.MatchString(first) || !strings.HasPrefix(first, "01912345-6789-7") || first == second {
		t.Errorf("got %s and %s, want two of version 7 with the time", first, second)
	}
}

func TestTableLists(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args []string
		want string
	}{
		{nil, `table.include.list "public.outbox"`},
		{[]string{"-table.exclude.list", "a.b"}, `table.exclude.list "a.b"`},
		{[]string{"-schema.include.list", "a"}, `schema.include.list "a"`},
		{[]string{"-schema.exclude.list", "a", "-table.include.list", "public.outbox"}, `table.include.list "public.outbox", schema.exclude.list "a"`},
	}
	for _, tt := range tests {
		if got := parsed(t, tt.args...).replication.Tables.String(); got != tt.want {
			t.Errorf("%v: tables by %s, want %s", tt.args, got, tt.want)
		}
	}
}

func TestPlaceholder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"__debezium_unavailable_value": "__debezium_unavailable_value", "hex:00ff": "\x00\xff", "": ""} {
		if got := string(parsed(t, "-unavailable.value.placeholder", text).connector.unavailable); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestSnapshotModes(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]replication.SnapshotMode{
		"no_data": replication.NoData, "never": replication.NoData, "initial": replication.Initial, "initial_only": replication.InitialOnly,
		"always": replication.Always, "when_needed": replication.WhenNeeded,
	} {
		if got := parsed(t, "-snapshot.mode", word).replication.Snapshot; got != want {
			t.Errorf("%s: got %s, want %s", word, got, want)
		}
	}
	if got := parsed(t).replication.Snapshot; got != replication.NoData {
		t.Errorf("default: got %s, want %s", got, replication.NoData)
	}
}

func TestConnectorMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"-extended.headers.enabled"}, "topic.prefix"},
		{[]string{"-debezium.compatibility", "2.7"}, "debezium.compatibility"},
		{[]string{"-table.include.list", "a.b", "-table.exclude.list", "a.c"}, "give one of the two"},
		{[]string{"-table.include.list", ""}, "name the outbox table"},
		{[]string{"-column.exclude.list", "a.b.(c"}, "column.exclude.list"},
		{[]string{"-unavailable.value.placeholder", "hex:0"}, "unavailable.value.placeholder"},
		{[]string{"-snapshot.mode", "custom"}, "snapshot.mode"},
		{[]string{"-publication.autocreate.mode", "some"}, "publication.autocreate.mode"},
		{[]string{"-heartbeat.interval.ms", "1000"}, "topic.prefix"},
		{[]string{"-heartbeat.interval.ms", "1000", "-topic.prefix", "p", "-value.converter", "binary"}, "value.converter"},
		{[]string{"-heartbeat.interval.ms", "1000", "-topic.prefix", "p", "-heartbeat.action.query", "INSERT INTO outbox DEFAULT VALUES"}, "heartbeat.action.query"},
	}
	for _, tt := range tests {
		code, _, stderr := execute(t, nil, append(tt.args, "-bootstrap.servers", "kafka:9092")...)
		if code != daemon.Config || !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: exit %d, want %d and %q in\n%s", tt.args, code, daemon.Config, tt.want, stderr)
		}
	}
}
