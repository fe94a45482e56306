package outbox

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// TestPrintedSize compares with what jsonb makes of a document. It may be too large, by blanks and escapes that jsonb
// drops, but never too small; for what json.Marshal makes it is exact.
func TestPrintedSize(t *testing.T) {
	t.Parallel()
	conn := pgtest.NewDB(t).Connect(t)
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(document(3).Draw(t, "document"))
		if err != nil {
			t.Fatal(err)
		}
		var printed int
		if err := conn.QueryRow(t.Context(), `SELECT octet_length($1::text::jsonb::text)`, string(text)).Scan(&printed); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := printedSize(text); got < printed {
			t.Errorf("%s: got %d, want at least %d", text, got, printed)
		}
	})
}

func TestPrintedSizeIsExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,"b":[1,2,{"c":null}]}`: `{"a": 1, "b": [1, 2, {"c": null}]}`,
		`{",:\"":",:\\","\\":1}`:       `{",:\"": ",:\\", "\\": 1}`,
		`"a,b:c"`:                      `"a,b:c"`,
		`[]`:                           `[]`,
	} {
		if got := printedSize([]byte(text)); got != len(want) {
			t.Errorf("%s: got %d, want %d", text, got, len(want))
		}
	}
}

// document draws something that encoding/json marshals, so deep at most.
func document(depth int) *rapid.Generator[any] {
	word := rapid.StringOf(rapid.RuneFrom([]rune("a,:\"\\{}[] üé\n<>&")))
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int().AsAny(), word.AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	inner := document(depth - 1)
	return rapid.OneOf(append(leaves, rapid.SliceOfN(inner, 0, 4).AsAny(), rapid.MapOfN(word, inner, 0, 4).AsAny())...)
}

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
		{"no text", Text, nil, nil},
	}
	for _, test := range tests {
		got, _, err := test.kind.encode(test.payload)
		if err != nil || got != test.want {
			t.Errorf("%s: got %v and %v, want %v", test.name, got, err, test.want)
		}
	}
	for _, payload := range []any{"a\x00\xff", []byte("a\x00\xff")} {
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
