package schema_test

import (
	"strings"
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

func TestDDLHasDefaultColumns(t *testing.T) {
	t.Parallel()
	c := schema.DefaultColumns()
	for _, name := range []string{c.ID, c.RouteBy, c.Key, c.Type, c.Payload} {
		if !strings.Contains(schema.DDL, "\n    "+name+" ") {
			t.Errorf("the DDL has no column %s", name)
		}
	}
}

func TestDefaultText(t *testing.T) {
	t.Parallel()
	base := column(23, -1)
	cases := []struct {
		name string
		col  schema.Column
		expr string
		want string // "none" for nil
	}{
		{"none", column(25, -1), "", "none"},
		{"bool", column(16, -1), "false", "f"},
		{"int", column(23, -1), "7", "7"},
		{"negative int", column(23, -1), "'-7'::integer", "-7"},
		{"negative in parentheses", column(23, -1), "(-7)", "-7"},
		{"numeric", column(1700, numeric(10, 2)), "1.50", "1.50"},
		{"text", column(25, -1), "'dflt'::text", "dflt"},
		{"text with quote", column(25, -1), "'it''s'::text", "it's"},
		{"text with backslash", column(25, -1), `E'a\\b'::text`, `a\b`},
		{"empty text", column(25, -1), "''::text", ""},
		{"varchar", column(1043, 259), "'dk'::character varying", "dk"},
		{"NULL", column(25, -1), "NULL::character varying", "none"},
		{"jsonb", column(3802, -1), `'{"d": 1}'::jsonb`, `{"d": 1}`},
		{"date", column(1082, -1), "'2024-02-29'::date", "2024-02-29"},
		{"now", column(1114, -1), "now()", "1970-01-01 00:00:00"},
		{"CURRENT_TIMESTAMP", column(1184, -1), "CURRENT_TIMESTAMP", "1970-01-01 00:00:00+00"},
		{"uuid", column(2950, -1), "gen_random_uuid()", "00000000-0000-0000-0000-000000000000"},
		{"sequence", column(20, -1), "nextval('outbox_id_seq'::regclass)", "none"},
		{"concatenation", column(25, -1), "('a'::text || 'b'::text)", ""},
		{"bytea is not read", column(17, -1), `'\x01'::bytea`, "none"},
		{"domain", user(schema.TypeInfo{Name: "d", Kind: 'd', Base: &base}), "7", "7"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := "none"
			text := schema.DefaultText(&tc.col, tc.expr)
			if text != nil {
				got = *text
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			tc.col.Default = text
			if _, err := schema.Bind(&tc.col, schema.DefaultTypeOptions()); err != nil {
				t.Errorf("the column does not take its default: %v", err)
			}
		})
	}
}
