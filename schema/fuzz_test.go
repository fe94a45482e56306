package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/outbox-relay/outbox-relay/schema"
)

// FuzzDecode feeds any text to every built-in type: it must be read or refused,
// and what was read must be writable as JSON.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "t", "1", "-1.50", "NaN", "infinity", "2024-02-29", "2024-02-29 01:02:03.5+02:30 BC", "24:00:00",
		`\x00ff`, `\134`, "{1,NULL}", `{"a\"b",{c}}`, "[0:1]={1,2}", "1 year -2 mons +03:04:05", "$1,234.56", "101", "(1,2)"} {
		for oid := range uint32(32) {
			f.Add(oid*128, int32(-1), []byte(seed))
		}
	}
	opt := schema.DefaultTypeOptions()
	opt.IncludeUnknown = true
	f.Fuzz(func(t *testing.T, oid uint32, mod int32, text []byte) {
		col := schema.Column{Name: "c", TypeOID: oid % 4600, TypeMod: mod % 2000}
		c, err := schema.Bind(&col, opt)
		if err != nil {
			return
		}
		v, buf, err := c.Decode(schema.Datum{Kind: schema.Text, Bytes: text}, nil)
		if err != nil {
			return
		}
		e, err := jsonSchema.Bind(c.Schema)
		if err != nil {
			t.Fatal(err)
		}
		out, _, err := e.Encode(v, buf)
		if err != nil {
			t.Fatalf("%s %q: %v", col.TypeText(), text, err)
		}
		if !json.Valid(out) {
			t.Fatalf("%s %q became %q", col.TypeText(), text, out)
		}
	})
}

// FuzzExpand expands any payload: what comes out must be JSON, and what Go's
// reader does not take must not have been expanded either, except for text
// behind the first value.
func FuzzExpand(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `{"a":1,"a":2}`, `{"a":[{"b":null},{"b":[1]}]}`, `{"a":1}x`, `{"a":-0.0e5}`, `{"\ud83d\ude00":"\ud800"}`,
		`{"a":[[1],[2.5]]}`, `{"":1}`, `[1,2]`, `{"a":9223372036854775808}`, `{"a":tru}`, `{"a":"\u12"}`} {
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, keepAll bool) {
		x := schema.Expander{PayloadColumnName: "payload", NullAsBytes: keepAll, EmptyAsStrings: keepAll}
		s, v, err := x.Expand(text)
		if err != nil || s == nil {
			return
		}
		e, err := jsonSchema.Bind(s)
		if err != nil {
			t.Fatal(err)
		}
		out, _, err := e.Encode(v, nil)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if !json.Valid(out) {
			t.Fatalf("%q became %q", text, out)
		}
		var first json.RawMessage
		var syntax *json.SyntaxError
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&first); errors.As(err, &syntax) {
			t.Fatalf("%q was expanded to %q, but is not JSON: %v", text, out, err)
		}
	})
}
