package schema_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/schema"
)

func TestTakes(t *testing.T) {
	t.Parallel()
	of := func(col schema.Column, opt schema.TypeOptions) *schema.Schema {
		c, err := schema.Bind(&col, opt)
		if err != nil {
			t.Fatal(err)
		}
		return c.Schema
	}
	required := func(col schema.Column) schema.Column {
		col.NotNull = true
		return col
	}
	with := func(col schema.Column, text string) schema.Column {
		col.Default = &text
		return col
	}
	text, stamp := column(25, -1), column(1114, -1)
	cases := []struct {
		name     string
		old, now *schema.Schema
		want     bool
	}{
		{"uuid for text", of(text, defaults), of(column(2950, -1), defaults), true},
		{"int8 for int4", of(column(23, -1), defaults), of(column(20, -1), defaults), false},
		{"NOT NULL for nullable", of(text, defaults), of(required(text), defaults), true},
		{"nullable for NOT NULL", of(required(text), defaults), of(text, defaults), false},
		{"never null for NOT NULL", of(required(text), defaults), of(with(text, "x"), defaults), true},
		{"a default goes", of(with(text, "x"), defaults), of(text, defaults), false},
		{"a default goes, never null", of(with(text, "x"), defaults), of(required(text), defaults), true},
		{"a default comes", of(text, defaults), of(with(text, "x"), defaults), true},
		{"another default", of(with(text, "y"), defaults), of(with(text, "x"), defaults), true},
		{"time for timestamp", of(stamp, defaults), of(column(1083, -1), defaults), true},
		{"Connect's timestamp for Debezium's", of(stamp, defaults), of(stamp, connectTimes), false},
		{"another precision", of(column(1700, numeric(10, 2)), defaults), of(column(1700, numeric(5, 2)), defaults), true},
		{"another scale", of(column(1700, numeric(10, 2)), defaults), of(column(1700, numeric(10, 3)), defaults), false},
		{"bytea for numeric", of(column(1700, numeric(10, 2)), defaults), of(column(17, -1), defaults), false},
		{"uuid[] for text[]", of(array(1009), defaults), of(array(2951), defaults), true},
		{"int4[] for text[]", of(array(1009), defaults), of(array(1007), defaults), false},
		{"text[] for enum[]", of(elem(enum), defaults), of(array(1009), defaults), false},
		{"numeric for numeric", of(column(1700, -1), defaults), of(column(1700, -1), defaults), true},
		{"numeric NOT NULL for numeric", of(column(1700, -1), defaults), of(required(column(1700, -1)), defaults), false},
		{"point for numeric", of(column(1700, -1), defaults), of(column(600, -1), defaults), false},
	}
	for _, tc := range cases {
		if got := tc.old.Takes(tc.now); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
