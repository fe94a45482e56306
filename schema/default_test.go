package schema_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/schema"
)

// dflt runs an expression through DefaultText and Bind and returns the default
// as JsonConverter writes it into the schema, or "none".
func dflt(t *testing.T, col schema.Column, opt schema.TypeOptions, expr string) string {
	t.Helper()
	col.Default = schema.DefaultText(&col, expr)
	c, err := schema.Bind(&col, opt)
	if err != nil {
		t.Fatalf("bind: %v", err)
	}
	if c.Schema.Default == nil {
		if !c.Null(schema.Datum{}) {
			t.Error("the schema has no default, but NULL reads as one")
		}
		return "none"
	}
	text := string(c.Schema.AppendJSON(nil))
	_, value, _ := strings.Cut(text, `,"default":`)
	return strings.TrimSuffix(value, "}")
}

// defaultCases are expressions as pg_get_expr prints them, and the defaults that
// Debezium 3.6.1 put into its schemas (recorded; NULL was sent as the same).
var defaultCases = []struct {
	col  schema.Column
	expr string
	want string
}{
	{column(25, -1), "", "none"},

	{column(1560, 1), `'0'::"bit"`, "false"},
	{column(1560, 1), `'1'::"bit"`, "true"},
	{column(1560, 1), `'11'::"bit"`, "true"},
	{column(1560, 1), `"substring"('10'::"bit", 1, 1)`, "true"},
	{column(1560, 1), `(1)::bit(1)`, "none"},
	{column(1560, 3), `"substring"('10'::"bit", 1, 1)`, `"Ag=="`},
	{column(1560, 8), `'10000001'::"bit"`, `"gQ=="`},
	{column(1560, 8), `'1'::"bit"`, `"AQ=="`},
	{column(1560, 8), `(1)::bit(8)`, `"AAI="`},
	{column(1560, 12), `'100000000001'::"bit"`, `"AQg="`},
	{column(1562, -1), `''::"bit"`, `""`},
	{column(1562, -1), `'101'::"bit"`, `"BQ=="`},
	{column(1562, -1), `'000'::"bit"`, `""`},
	{column(1562, 10), `'1'::"bit"`, `"AQ=="`},

	{column(1186, -1), "'1 day'::interval", "86400000000"},
	{column(1186, -1), "'1 year 2 mons 3 days 04:05:06.789'::interval", "37091106789000"},
	{column(1186, -1), "make_interval(days => 1)", "0"},
	{column(1186, -1), "'-00:00:01.5'::interval", "-1500000"},
	{column(1186, -1), "('1 day'::interval * (2)::double precision)", "86400000000"},
	{column(1186, -1), "'25:00:00'::interval", "90000000000"},
	{column(1186, -1), "'-1 days +02:03:00'::interval", "-79020000000"},
	{column(1186, -1), "(now() - now())", "0"},
	{column(1186, -1), "'178000000 years'::interval", "9223372036854775807"},

	{user(enum), "'sad'::mood", `"sad"`},
	{user(enum), "'very happy'::mood", `"very happy"`},
	{user(enum), `'ü,"'::mood`, `"ü,\""`},
	{user(enum), "'it''s'::mood2", `"it''s"`},
	{user(enum), `'x::y'::"Mood"`, `"x::y"`},
	{user(enum), "'a'::other.mood3", `"a"`},
	{user(enum), "('sad'::text)::mood", "none"},
	{user(enum), "enum_first(NULL::mood)", "none"},
	{elem(enum), "'{sad}'::mood[]", "none"},

	{column(21, -1), "7", "7"},
	{column(21, -1), "'-5'::integer", "-5"},
	{column(21, -1), "70000", "none"},
	{column(23, -1), "(1 + 1)", "none"},
	{column(23, -1), "5.7", "none"},
	{column(23, -1), "abs('-5'::integer)", "0"},
	{column(23, -1), "NULL::integer", "none"},
	{column(20, -1), "'9223372036854775807'::bigint", "9223372036854775807"},
	{column(20, -1), "(5)::smallint", "none"},
	{column(20, -1), "nextval('outbox_id_seq'::regclass)", "0"},

	{column(1700, numeric(10, 2)), "'-1.5'::numeric", `"/2o="`},
	{column(1700, numeric(10, 2)), "7", `"Arw="`},
	{column(1700, numeric(10, 2)), "random()", `"AA=="`},
	{column(1700, numeric(10, 2)), "'NaN'::numeric", "none"},
	{column(1700, numeric(10, 2)), "(1 + 1)", "none"},
	{column(1700, numeric(10, 2)), "1.555", "none"},
	{column(1700, numeric(10, 2)), "'100000'::numeric", `"AJiWgA=="`},
	{column(1700, numeric(10, 0)), "random()", `"AA=="`},
	{column(1700, numeric(10, 0)), "1.5", "none"},
	{column(1700, numeric(38, 0)), "'12345678901234567890'::numeric", `"AKtUqYzrHwrS"`},
	{column(1700, -1), "1.5", "none"},
	{column(790, -1), "1.5", "none"},
	{column(26, -1), "5", "none"},

	{column(700, -1), "1.1", "1.1"},
	{column(700, -1), "'1e-45'::numeric", "1.4E-45"},
	{column(701, -1), "'Infinity'::double precision", `"Infinity"`},
	{column(701, -1), "'NaN'::double precision", `"NaN"`},
	{column(701, -1), "pi()", "0.0"},
	{column(701, -1), "'10000000000'::numeric", "1.0E10"},
	{column(701, -1), "(1.5 + (2)::numeric)", "none"},
	{column(701, -1), "'-2'::integer", "-2.0"},

	{column(16, -1), "true", "true"},
	{column(16, -1), "false", "false"},
	{column(16, -1), "(1 = 1)", "false"},
	{column(16, -1), "(NOT false)", "false"},
	{column(16, -1), "(random() > (0.5)::double precision)", "false"},

	{column(25, -1), "CURRENT_USER", `"CURRENT_USER"`},
	{column(25, -1), "CURRENT_DATE", `""`},
	{column(25, -1), "(now())::text", `""`},
	{column(25, -1), "current_setting('x'::text, true)", `""`},
	{column(25, -1), "('a'::text || 'b'::text)", `"a"`},
	{column(25, -1), "'''x'::text", `""`},
	{column(25, -1), "'a''b''c'::text", `"a"`},
	{column(25, -1), "'a\nb'::text", "none"},
	{column(25, -1), "'a\nb''c'::text", `""`},
	{column(25, -1), "'\t\u00a0\u2028x'::text", "none"},
	{column(25, -1), `"My Schema".f()`, `"\"My Schema\".f()"`},
	{column(25, -1), "5", `"5"`},
	{column(25, -1), "CASE\n    WHEN true THEN 'a'::text\n    ELSE 'b'::text\nEND", `"a"`},
	{column(25, -1), `'a\b'::text`, `"a\\b"`},
	{column(25, -1), "''::text", `""`},
	{column(25, -1), "' x '::text", `" x "`},
	{column(25, -1), `'x'::text COLLATE "C"`, `"x"`},
	{column(1043, 14), "'it''s'::character varying", `"it"`},
	{column(1043, 9), "'abcdefgh'::character varying", `"abcdefgh"`},
	{column(1043, 14), "NULL::character varying", "none"},
	{column(1042, 12), "'ab'::bpchar", `"ab"`},
	{column(114, -1), "'[1]'::json", `"[1]"`},
	{column(114, -1), "'[1,\n2]'::json", "none"},
	{column(3802, -1), `'{"a": "x''y"}'::jsonb`, `"{\"a\": \"x"`},
	{column(3802, -1), "jsonb_build_object('a', 1)", `"{}"`},
	{column(142, -1), "'<a/>'::xml", `"<a/>"`},

	{column(1082, -1), "'2024-01-01'::date", "19723"},
	{column(1082, -1), "CURRENT_DATE", "0"},
	{column(1082, -1), "(CURRENT_DATE + 1)", "none"},
	{column(1082, -1), "('2024-01-01'::date + 5)", "19723"},
	{column(1082, -1), "'0044-03-15 BC'::date", "-735160"},
	{column(1082, -1), "'2024-01-01 12:00:00'::timestamp without time zone", "19723"},
	{column(1083, -1), "'01:02:03.123456'::time without time zone", "3723123456"},
	{column(1083, -1), "LOCALTIME", "0"},
	{column(1083, -1), "CURRENT_TIME", "0"},
	{column(1083, 3), "'01:02:03.123456'::time without time zone", "3723123"},
	{column(1083, 0), "'01:02:03.9'::time without time zone", "3723900"},
	{column(1083, 3), "LOCALTIME(3)", "0"},
	{column(1114, -1), "'2024-01-01 01:02:03.123456'::timestamp without time zone", "1704070923123456"},
	{column(1114, 3), "'2024-01-01 01:02:03.123456'::timestamp without time zone", "1704070923123"},
	{column(1114, -1), "CURRENT_TIMESTAMP", "0"},
	{column(1114, -1), "LOCALTIMESTAMP(3)", "0"},
	{column(1114, -1), "(now() AT TIME ZONE 'UTC'::text)", "0"},
	{column(1114, -1), "'2024-01-01'::date", "1704067200000000"},
	{column(1114, -1), "'2024-01-01 00:00:00+02'::timestamp with time zone", "1704060000000000"},
	{column(1114, -1), "'0044-03-15 12:00:00 BC'::timestamp without time zone", "-63517780800000000"},
	{column(1114, -1), "'10000-01-01 00:00:00'::timestamp without time zone", "253402300800000000"},
	{column(1114, 0), "'1969-12-31 23:59:59'::timestamp without time zone", "-1000"},
	{column(1184, -1), "'2024-01-01 00:00:00+02'::timestamp with time zone", `"2023-12-31T22:00:00.000000Z"`},
	{column(1184, 3), "'2024-01-01 01:02:03.123456+00'::timestamp with time zone", `"2024-01-01T01:02:03.123Z"`},
	{column(1184, -1), "'2024-01-01 00:00:00'::timestamp without time zone", `"2024-01-01T00:00:00.000000Z"`},
	{column(1184, -1), "(now() + '1 day'::interval)", `"1970-01-01T00:00:00.000000Z"`},
	{column(1184, -1), "'0044-03-15 12:00:00+00 BC'::timestamp with time zone", `"-0043-03-15T12:00:00.000000Z"`},
	{column(1184, -1), "'10000-01-01 00:00:00+00'::timestamp with time zone", `"+10000-01-01T00:00:00.000000Z"`},
	{column(1184, -1), "'infinity'::timestamp with time zone", "none"},
	{column(1266, -1), "'01:02:03+02'::time with time zone", "none"},

	{column(2950, -1), "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", `"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`},
	{column(2950, -1), "('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::text)::uuid", `"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`},
	{column(2950, -1), "(current_setting('x'::text))::uuid", `"00000000-0000-0000-0000-000000000000"`},
	{column(2950, -1), "gen_random_uuid()", `"00000000-0000-0000-0000-000000000000"`},

	{domain(column(25, -1)), "'x'::text", "none"},
	{domain(column(23, -1)), "5", "none"},
	{user(schema.TypeInfo{Name: "citext", Kind: 'b'}), "'x'::citext", "none"},
	{schema.Column{Name: "c", TypeOID: 99999, TypeMod: -1}, "'x'::gone", "none"},
	{column(869, -1), "'10.0.0.1'::inet", "none"},
	{column(19, -1), "'n'::name", "none"},
	{column(17, -1), `'\x00'::bytea`, "none"},
	{column(1009, -1), "'{a}'::text[]", "none"},
	{column(600, -1), "'(1,2)'::point", "none"},
}

func TestDefaultText(t *testing.T) {
	t.Parallel()
	for _, tc := range defaultCases {
		t.Run(tc.col.TypeText()+" "+tc.expr, func(t *testing.T) {
			t.Parallel()
			if got := dflt(t, tc.col, defaults, tc.expr); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// TestDefaultOutOfRange: Debezium has -9223372036853775810, 169560311 and the
// last nanosecond of the day here.
func TestDefaultOutOfRange(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		col  schema.Column
		expr string
		want string
	}{
		{column(1114, -1), "'infinity'::timestamp without time zone", "9223372036825200000"},
		{column(1082, -1), "'infinity'::date", "-2147472692"},
		{column(1083, -1), "'24:00:00'::time without time zone", "86400000000"},
	} {
		if got := dflt(t, tc.col, defaults, tc.expr); got != tc.want {
			t.Errorf("%s %s: got %s, want %s", tc.col.TypeText(), tc.expr, got, tc.want)
		}
	}
}

// TestDefaultUnderOptions: a default goes the way of the column's values
// (recorded, too).
func TestDefaultUnderOptions(t *testing.T) {
	t.Parallel()
	isoInterval := schema.TypeOptions{IntervalHandling: "string"}
	stamp := "'2024-01-01 01:02:03.123456'::timestamp without time zone"
	for _, tc := range []struct {
		col  schema.Column
		opt  schema.TypeOptions
		expr string
		want string
	}{
		{column(1700, numeric(10, 2)), asString, "'-1.5'::numeric", `"-1.50"`},
		{column(1700, numeric(10, 2)), asString, "7", `"7.00"`},
		{column(1700, numeric(10, 2)), asString, "random()", `"0.00"`},
		{column(1700, numeric(10, 2)), asString, "'NaN'::numeric", "none"},
		{column(1700, numeric(10, 0)), asString, "random()", `"0"`},
		{column(1700, numeric(5, -2)), asString, "12300", `"12300.` + strings.Repeat("0", 2046) + `"`},
		{column(1700, -1), asString, "1.5", `"1.5"`},
		{column(1700, -1), asString, "random()", `"0.0"`},
		{column(1700, numeric(10, 2)), asDouble, "'-1.5'::numeric", "-1.5"},
		{column(1700, -1), asDouble, "random()", "0.0"},
		{column(1186, -1), isoInterval, "'-1 days +02:03:00'::interval", `"P0Y0M-1DT2H3M0S"`},
		{column(1186, -1), isoInterval, "make_interval(days => 1)", `"P0Y0M0DT0H0M0S"`},
		{column(1082, -1), connectTimes, "'1969-12-31'::date", "-1"},
		{column(1083, -1), connectTimes, "'01:02:03.123456'::time without time zone", "3723123"},
		{column(1114, -1), connectTimes, stamp, "1704070923123"},
		{column(1082, -1), isoTimes, "CURRENT_DATE", `"1970-01-01Z"`},
		{column(1082, -1), isoTimes, "'0044-03-15 BC'::date", `"-0043-03-15Z"`},
		{column(1083, 0), isoTimes, "'01:02:03.9'::time without time zone", `"01:02:03.9Z"`},
		{column(1114, 3), isoTimes, stamp, `"2024-01-01T01:02:03.123456Z"`},
		{column(1114, -1), nanoTimes, stamp, "1704070923123456000"},
		{column(1114, -1), nanoTimes, "'10000-01-01 00:00:00'::timestamp without time zone", "none"},
		{column(1083, 3), microTimes, "'01:02:03.123456'::time without time zone", "3723123456"},
	} {
		if got := dflt(t, tc.col, tc.opt, tc.expr); got != tc.want {
			t.Errorf("%s %s under %+v: got %s, want %s", tc.col.TypeText(), tc.expr, tc.opt, got, tc.want)
		}
	}
}
