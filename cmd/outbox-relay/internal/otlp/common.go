package otlp

import (
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
)

// The names of these fields are those of the protocol's JSON: 64-bit integers are texts, ids are hexadecimal.

type keyValue struct {
	Key   string   `json:"key"`
	Value anyValue `json:"value"`
}

// anyValue holds one of its fields.
type anyValue struct {
	String *string  `json:"stringValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
	Int    *string  `json:"intValue,omitempty"`
	Double *float64 `json:"doubleValue,omitempty"`
}

type resourceJSON struct {
	Attributes []keyValue `json:"attributes"`
}

type scopeJSON struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

func text(s string) anyValue { return anyValue{String: &s} }

// attributes turns the SDK's into the protocol's. Lists, which we make none of, become their text.
func attributes(in []attribute.KeyValue) []keyValue {
	out := make([]keyValue, 0, len(in))
	for _, a := range in {
		v := anyValue{}
		switch a.Value.Type() {
		case attribute.BOOL:
			v.Bool = new(a.Value.AsBool())
		case attribute.INT64:
			v.Int = new(strconv.FormatInt(a.Value.AsInt64(), 10))
		case attribute.FLOAT64:
			v.Double = new(a.Value.AsFloat64())
		default:
			v = text(a.Value.String())
		}
		out = append(out, keyValue{string(a.Key), v})
	}
	return out
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
