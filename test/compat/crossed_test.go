package compat_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// expanding compares expanded JSON. Debezium fails at JSON that it cannot expand, unless the converter is
// StringConverter.
func expanding() []configuration {
	var list []configuration
	expand := func(name string, random bool, more ...options) {
		c := configuration{name: name, options: join(append(more, options{"table.expand.json.payload": "true"})...)}
		for i, k := range []kind{choose(jsonKinds, "j")[0], choose(jsonKinds, "jb")[0], {sql: "text", edges: slices.Concat(jsons, texts), random: randomJSON}} {
			payload := kind{sql: k.sql, edges: expandable}
			if random {
				payload.edges, payload.random = k.edges, k.random
			}
			c.tables = append(c.tables, table{name: []string{"outbox", "outbox_b", "outbox_t"}[i], payload: payload})
		}
		list = append(list, c)
	}
	expand("expand-text", true, asText)
	expand("expand-json", false, asJSON)
	expand("expand-schemas", false, asSchemas)
	expand("expand-null", false, asSchemas, options{"table.json.payload.null.behavior": "optional_bytes"})
	expand("expand-envelope", false, asSchemas, options{"table.fields.additional.placement": "type:envelope"})
	expand("expand-avro", false, asJSON, options{"transforms.outbox.field.name.adjustment.mode": "avro"})
	expand("expand-tombstone", false, asJSON, options{"route.tombstone.on.empty.payload": "true"})
	expand("expand-arrays", false, asSchemas, options{"table.json.payload.empty.array.behavior": "optional_string"}) // 3.6.1 ignores it
	return list
}

// expandable are documents that Debezium can expand.
var expandable = []string{
	`{}`, `{"a": 1, "b": 2.5, "c": "x", "d": true, "e": null, "f": {}}`, `{"deep": {"er": {"est": [{"a": 1}, {"a": 2, "b": "x"}]}}}`,
	`{"list": [1, 2], "texts": ["a", "é😀"], "empty": [], "nested": [[1], [2]]}`, `{"x.y": 1, "sp ace": 2, "1st": 3, "ü": 4, "": 5, "a-b": 6}`,
	`{"mixed": [1, "x"]}`, `{"int": 2147483648, "small": -2147483648, "frac": 0.1, "exp": 1.5e10, "neg": -0.0}`, `"text"`, `1`, `null`, `true`, `""`, `1.5`,
}

// crossed are all ways of reading each group of types with all converters.
func crossed() []configuration {
	modes := func(option string, values ...string) []options {
		var list []options
		for _, v := range values {
			list = append(list, options{option: v})
		}
		return list
	}
	groups := []struct {
		name    string
		columns []kind
		modes   [][]options
	}{
		{"number", numberKinds, [][]options{modes("decimal.handling.mode", "precise", "double", "string"), modes("money.fraction.digits", "0", "2", "5")}},
		{"time", temporalKinds, [][]options{
			modes("time.precision.mode", "adaptive", "adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds"),
			modes("interval.handling.mode", "numeric", "string"),
		}},
		{"bytes", byteKinds, [][]options{modes("binary.handling.mode", "bytes", "base64", "base64-url-safe", "hex"), modes("hstore.handling.mode", "json", "map")}},
		{"range", rangeKinds, [][]options{modes("include.unknown.datatypes", "false", "true"), modes("binary.handling.mode", "bytes", "base64", "base64-url-safe", "hex")}},
		{"array", arrayKinds, [][]options{
			modes("decimal.handling.mode", "precise", "double", "string"),
			modes("time.precision.mode", "adaptive", "connect", "isostring", "microseconds", "nanoseconds"),
		}},
		{"text", slices.Concat(textKinds, jsonKinds), [][]options{{{}}, {{}}}},
	}
	converters := []options{join(asSchemas, headersAsSchemas), join(asJSON, headersAsJSON), asText}
	var list []configuration
	for _, g := range groups {
		for _, a := range g.modes[0] {
			for _, b := range g.modes[1] {
				for i, converter := range converters {
					build := typed
					if i == 2 && g.name != "text" && (g.name != "time" || a["time.precision.mode"] == "connect") {
						build = headed // the converter prints Java objects that are in an envelope
					}
					c := build(fmt.Sprintf("full-%s%s%s-%d", g.name, mark(a), mark(b), i), g.columns, a, b, converter)
					if c.full = true; a["time.precision.mode"] == "nanoseconds" {
						c.unfit = beyondNanoseconds
					}
					list = append(list, c)
				}
			}
		}
	}
	return list
}

// mark puts the value of an option into a name.
func mark(o options) string {
	for v := range maps.Values(o) {
		return "-" + strings.NewReplacer("_", "-", "adaptive-time-microseconds", "atm").Replace(v)
	}
	return ""
}
