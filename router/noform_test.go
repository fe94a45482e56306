package router_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

// TestNoFormIsRowError: a value that Debezium would lose or send as another one
// stops at its row, and the error names the column and not the value.
func TestNoFormIsRowError(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		col   schema.Column
		modes schema.TypeOptions
		text  string
		want  string
	}{
		"timestamp beyond 64 bits": {schema.Column{TypeOID: 1114, TypeMod: -1}, schema.TypeOptions{},
			"294276-12-31 23:59:59.999999", "type timestamp: the timestamp is too far from 1970 for 64 bits"},
		"timestamp beyond nanoseconds": {schema.Column{TypeOID: 1114, TypeMod: -1}, schema.TypeOptions{TimePrecision: "nanoseconds"},
			"2300-01-01 00:00:00", "type timestamp: the timestamp is too far from 1970 for 64 bits"},
		"text of two dimensions": {schema.Column{TypeOID: 1009, TypeMod: -1}, schema.TypeOptions{},
			"{{secret}}", "type text[]: the array has more than one dimension"},
	}
	for name, tc := range cases {
		for _, place := range []string{"header", "envelope"} {
			tc.col.Name = "c"
			p := plan(t, outbox(tc.col), func(o *router.Options) {
				o.AdditionalPlacement, o.Types = "c:"+place, tc.modes
				o.ValueConverter = jsonPlain
			})
			var rec router.Record
			err := p.Route(row(uuid, "all", "k", "T", "{}", tc.text), now, &rec)
			var bad *router.RowError
			if !errors.As(err, &bad) || bad.Column != "c" || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s in the %s: %v, want a RowError that says %q", name, place, err, tc.want)
			} else if strings.Contains(err.Error(), tc.text) {
				t.Errorf("%s: the value shows in the error: %v", name, err)
			}
		}
	}
}
