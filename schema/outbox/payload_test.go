package outbox

import (
	"encoding/json"
	"strings"
	"testing"
)

// list is never null as JSON.
type list []int

func (l list) MarshalJSON() ([]byte, error) { return json.Marshal(append([]int{}, l...)) }

func TestEncodeKeepsWhatItIsGiven(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		kind    PayloadKind
		payload any
		want    any
	}{
		{"JSON as bytes", JSON, []byte(` { "a" : 1 } `), ` { "a" : 1 } `},
		{"JSON as message", JSON, json.RawMessage(`1`), `1`},
		{"JSON of a string", JSON, `{"a": 1}`, `"{\"a\": 1}"`},
		{"JSON of nothing", JSON, nil, nil},
		{"text", Text, "ü", "ü"},
		{"text as bytes", Text, []byte("ü"), "ü"},
		{"text as message", Text, json.RawMessage(" 1"), " 1"},
		{"no text", Text, nil, nil},
		{"nil bytes as JSON", JSON, []byte(nil), nil},
		{"nil message as JSON", JSON, json.RawMessage(nil), nil},
		{"nil pointer as JSON", JSON, (*struct{})(nil), nil},
		{"nil map as JSON", JSON, map[string]int(nil), nil},
		{"nil slice as JSON", JSON, []int(nil), nil},
		{"nil slice with JSON of its own", JSON, list(nil), "[]"},
		{"JSON null", JSON, json.RawMessage("null"), "null"},
		{"nil within", JSON, struct{ A *int }{}, `{"A":null}`},
		{"nil bytes as text", Text, []byte(nil), nil},
		{"nil message as text", Text, json.RawMessage(nil), nil},
		{"no bytes as text", Text, []byte{}, ""},
		{"nil bytes as bytes", Bytes, []byte(nil), nil},
		{"nil message as bytes", Bytes, json.RawMessage(nil), nil},
		{"the character U+FFFD", JSON, "\ufffd", "\"\ufffd\""},
		{"a backslash before ufffd", JSON, `\ufffd`, `"\\ufffd"`},
		{"the escape of U+FFFD as bytes", JSON, []byte(`"\ufffd"`), `"\ufffd"`},
		{"escapes", JSON, []byte(`"\\u0000\u0001\ud83d\ude00\\ud800"`), `"\\u0000\u0001\ud83d\ude00\\ud800"`},
	}
	for _, test := range tests {
		got, _, err := test.kind.encode(test.payload)
		if err != nil || got != test.want {
			t.Errorf("%s: got %v and %v, want %v", test.name, got, err, test.want)
		}
	}
	for _, payload := range []any{"a\x00\xff", []byte("a\x00\xff"), json.RawMessage("a\x00\xff")} {
		got, size, err := Bytes.encode(payload)
		if b, ok := got.([]byte); !ok || string(b) != "a\x00\xff" || size != 3 || err != nil {
			t.Errorf("bytes of %T: got %v, %d and %v", payload, got, size, err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	table := Table{}.withDefaults()
	e := Event{AggregateType: "Order", AggregateID: "42", Type: "OrderPaid", Payload: []byte(`{"text":"` + strings.Repeat("x", 500) + `"}`)}
	for b.Loop() {
		if _, err := table.check([]Event{e}); err != nil {
			b.Fatal(err)
		}
	}
}
