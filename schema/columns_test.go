package schema_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/schema"
)

func table(names ...string) *schema.Relation {
	rel := &schema.Relation{Namespace: "public", Name: "outbox"}
	for _, n := range names {
		rel.Columns = append(rel.Columns, schema.Column{Name: n, TypeOID: 25, TypeMod: -1})
	}
	return rel
}

func TestColumnsCheck(t *testing.T) {
	t.Parallel()
	def := schema.DefaultColumns()
	stamped := def
	stamped.Timestamp = "created_at"
	same := def
	same.Key, same.RouteBy = "k", "k"
	noType := def
	noType.Type = ""
	cases := []struct {
		name string
		cols schema.Columns
		rel  *schema.Relation
		want string // "" for none
	}{
		{"all there", def, table("id", "aggregatetype", "aggregateid", "type", "payload", "more"), ""},
		{"type not needed", noType, table("id", "aggregatetype", "aggregateid", "payload"), ""},
		{
			"F14 renamed", def, table("id", "aggregatetype", "aggregate_id", "type", "data"),
			`table public.outbox lacks column(s) "aggregateid", "payload"; it has id, aggregatetype, aggregate_id, type, data; ` +
				`name yours with -table.field.event.key, -table.field.event.payload`,
		},
		{
			"C04 case counts", def, table("Id", "aggregatetype", "aggregateid", "type", "payload"),
			`table public.outbox lacks column(s) "id"; it has Id, aggregatetype, aggregateid, type, payload; name yours with -table.field.event.id`,
		},
		{
			"timestamp", stamped, table("id", "aggregatetype", "aggregateid", "type", "payload"),
			`table public.outbox lacks column(s) "created_at"; it has id, aggregatetype, aggregateid, type, payload; name yours with -table.field.event.timestamp`,
		},
		{
			"one column for two options", same, table("id", "type", "payload"),
			`table public.outbox lacks column(s) "k"; it has id, type, payload; name yours with -route.by.field, -table.field.event.key`,
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := tc.cols.Check(tc.rel); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
