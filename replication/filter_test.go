package replication_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/replication"
)

func list(t *testing.T, text string) replication.List {
	t.Helper()
	l, err := replication.ParseList(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestFilter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                                  string
		include, exclude, schemas, notSchemas string
		schema, table                         string
		want                                  bool
	}{
		{"included", "public.outbox", "", "", "", "public", "outbox", true},
		{"not included", "public.outbox", "", "", "", "public", "orders", false},
		{"not excluded", "", "public.orders", "", "", "public", "outbox", true},
		{"excluded", "", "public.orders", "", "", "public", "orders", false},
		{"schema included", `.*\.outbox`, "", `tenant_\d+`, "", "tenant_7", "outbox", true},
		{"schema not included", `.*\.outbox`, "", `tenant_\d+`, "", "public", "outbox", false},
		{"schema excluded", `.*\.outbox`, "", "", "archive", "archive", "outbox", false},
		{"schema not excluded", `.*\.outbox`, "", "", "archive", "public", "outbox", true},
		{"both levels must agree", "", "public.orders", "public", "", "public", "orders", false},
		{"everything, less one", ".*", "public.orders", "", "", "public", "orders", false},
		{"PostgreSQL's own", ".*", "", "", "", "pg_catalog", "pg_class", false},
		{"another session's temporary table", ".*", "", "", "", "pg_temp_3", "outbox", false},
		{"PostGIS's own", ".*", "", "", "", "public", "spatial_ref_sys", false},
	}
	for _, tt := range tests {
		f := replication.Filter{IncludeTables: list(t, tt.include), ExcludeTables: list(t, tt.exclude), IncludeSchemas: list(t, tt.schemas), ExcludeSchemas: list(t, tt.notSchemas)}
		if err := f.Validate(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := f.Match(tt.schema, tt.table); got != tt.want {
			t.Errorf("%s: (%s) matches %s.%s: %t, want %t", tt.name, f, tt.schema, tt.table, got, tt.want)
		}
	}
}

func TestFilterRefusesContradictions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		filter replication.Filter
		want   string
	}{
		{replication.Filter{}, "table.include.list: name"},
		{replication.Filter{IncludeTables: list(t, "a.b"), ExcludeTables: list(t, "a.c")}, "table.include.list and table.exclude.list"},
		{replication.Filter{IncludeSchemas: list(t, "a"), ExcludeSchemas: list(t, "b")}, "schema.include.list and schema.exclude.list"},
	}
	for _, tt := range tests {
		if err := tt.filter.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("(%s): got %v, want an error about %q", tt.filter, err, tt.want)
		}
	}
}
