package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWritten(t *testing.T) {
	t.Parallel()
	tests := []struct {
		sql  string
		want [][]string
	}{
		{"SELECT pg_logical_emit_message(false, 'hb', '')", nil},
		{"UPDATE hb SET n = n + 1", [][]string{{"hb"}}},
		{`insert  into "Public" . Outbox VALUES (1)`, [][]string{{"Public", "outbox"}}},
		{"DELETE FROM ONLY a.b; TRUNCATE TABLE c; merge into d using e on true", [][]string{{"a", "b"}, {"c"}, {"d"}}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, written(tt.sql)); diff != "" {
			t.Errorf("%s writes (-want +got):\n%s", tt.sql, diff)
		}
	}
}

func TestHeartbeatQueryMayNotWriteTheOutbox(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tables, sql string
		want        bool
	}{
		{"public.outbox", "UPDATE outbox SET type = ''", true},
		{"public.outbox", "UPDATE public.outbox SET type = ''", true},
		{"public.outbox", "UPDATE other.outbox SET type = ''", false},
		{"public.outbox", "INSERT INTO hb VALUES (1)", false},
		{`billing\.outbox,shop.outbox`, "INSERT INTO outbox VALUES (1)", true},
		{`tenant_\d+\.outbox`, "INSERT INTO tenant_7.outbox VALUES (1)", true},
	}
	for _, tt := range tests {
		s := parsed(t, "-table.include.list", tt.tables)
		got := false
		for _, table := range written(tt.sql) {
			got = got || outbox(&s.replication.Tables, table)
		}
		if got != tt.want {
			t.Errorf("%s with %s writes the outbox: %t, want %t", tt.sql, tt.tables, got, tt.want)
		}
	}
}
