package replication_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/replication"
)

func TestTables(t *testing.T) {
	t.Parallel()
	tests := []struct {
		list, schema, table string
		want                bool
	}{
		{"public.outbox", "public", "outbox", true},
		{"public.outbox", "public", "Outbox", true}, // Debezium ignores the case
		{"public.outbox", "public", "outbox2", false},
		{"public.outbox", "other_public", "outbox", false},
		{"public.outbox", "publicX", "outbox", false},
		{`public\.outbox, billing\.(out|in)box`, "billing", "inbox", true},
		{`.*\.outbox`, "any", "outbox", true},
		{`public\.a\,b`, "public", "a,b", true},
		{"public.outbox,", "public", "outbox", true},
		{"public.o|x", "x", "y", false}, // the whole expression is anchored
	}
	for _, tt := range tests {
		tables, err := replication.ParseTables(tt.list)
		if err != nil {
			t.Errorf("%q: %v", tt.list, err)
			continue
		}
		if got := tables.Match(tt.schema, tt.table); got != tt.want {
			t.Errorf("%q matches %s.%s: %t, want %t", tt.list, tt.schema, tt.table, got, tt.want)
		}
	}
}

func TestTablesRefuses(t *testing.T) {
	t.Parallel()
	if _, err := replication.ParseTables("public.outbox,a(b"); err == nil || !strings.Contains(err.Error(), `"a(b"`) {
		t.Errorf("got %v, want an error that names the expression", err)
	}
	empty, err := replication.ParseTables(" , ")
	if err != nil || !empty.Empty() {
		t.Errorf("got %v, %v, want an empty list", empty, err)
	}
}

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	err := (&replication.Config{Slot: "Upper", Publication: "", StatusInterval: -1}).Validate()
	for _, option := range []string{"slot.name", "publication.name", "table.include.list", "status.update.interval.ms"} {
		if err == nil || !strings.Contains(err.Error(), option) {
			t.Errorf("got %v, want it to name %s too", err, option)
		}
	}
}
