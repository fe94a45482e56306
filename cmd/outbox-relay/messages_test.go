package main

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
)

// An outbox of messages needs no table; one that is named stays.
func TestMessagesNeedNoTable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args    []string
		tables  string
		enabled bool
	}{
		{nil, `table.include.list "public.outbox"`, false},
		{[]string{"-message.prefix.include.list", "outbox"}, "none", true},
		{[]string{"-message.prefix.exclude.list", "debug"}, "none", true},
		{[]string{"-message.prefix.include.list", "outbox", "-table.include.list", ""}, "none", true},
		{[]string{"-message.prefix.include.list", "outbox", "-table.include.list", "a.b"}, `table.include.list "a.b"`, true},
		{[]string{"-message.prefix.include.list", "outbox", "-schema.include.list", "a"}, `schema.include.list "a"`, true},
	}
	for _, tt := range tests {
		s := parsed(t, tt.args...)
		if got := s.replication.Tables.String(); got != tt.tables || s.replication.Messages.Enabled() != tt.enabled {
			t.Errorf("%v: tables %s, messages %t; want %s, %t", tt.args, got, s.replication.Messages.Enabled(), tt.tables, tt.enabled)
		}
	}
}

func TestMessageListsContradict(t *testing.T) {
	t.Parallel()
	code, _, stderr := execute(t, nil, "-bootstrap.servers", "kafka:9092", "-message.prefix.include.list", "a", "-message.prefix.exclude.list", "b")
	if code != daemon.Config || !strings.Contains(stderr, "message.prefix.exclude.list: give one of the two") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
