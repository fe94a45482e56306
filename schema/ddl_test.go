package schema_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/schema"
)

func TestDDLHasDefaultColumns(t *testing.T) {
	t.Parallel()
	c := schema.DefaultColumns()
	for _, ddl := range []string{schema.DDL, schema.DDLPartitioned} {
		for _, name := range []string{c.ID, c.RouteBy, c.Key, c.Type, c.Payload} {
			if !strings.Contains(ddl, "\n    "+name+" ") {
				t.Errorf("no column %s in:\n%s", name, ddl)
			}
		}
	}
}

func TestDDLNamed(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, name := range schema.DDLNames() {
		ddl, ok := schema.DDLNamed(name)
		if !ok || !strings.Contains(ddl, "CREATE TABLE ") {
			t.Errorf("%s: %v, %q", name, ok, ddl)
		}
		if other, twice := seen[ddl]; twice {
			t.Errorf("%s is the same as %s", name, other)
		}
		seen[ddl] = name
	}
	if first, _ := schema.DDLNamed(schema.DDLNames()[0]); first != schema.DDL {
		t.Errorf("the first is not DDL: %s", first)
	}
	if ddl, ok := schema.DDLNamed("Plain"); ok || ddl != "" {
		t.Errorf("unknown name: %q", ddl)
	}
}
