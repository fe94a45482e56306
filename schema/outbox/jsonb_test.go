package outbox

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// printed is how many bytes jsonb makes of a document.
func printed(ctx context.Context, conn *pgx.Conn, text string) (n int, err error) {
	err = conn.QueryRow(ctx, `SELECT octet_length($1::text::jsonb::text)`, text).Scan(&n)
	return n, err
}

// TestMeasure compares with what jsonb makes of a document. It may be too large, by blanks and escapes that jsonb
// drops, but never too small.
func TestMeasure(t *testing.T) {
	t.Parallel()
	conn := pgtest.NewDB(t).Connect(t)
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(document(3).Draw(t, "document"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := printed(t.Context(), conn, string(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, err := measure(text); err != nil || got < want {
			t.Errorf("%s: got %d and %v, want at least %d", text, got, err, want)
		}
	})
}

// document draws something that encoding/json marshals, so deep at most.
func document(depth int) *rapid.Generator[any] {
	word := rapid.StringOf(rapid.RuneFrom([]rune("a,:\"\\{}[] üé\n<>&")))
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int().AsAny(), rapid.Float64().AsAny(), word.AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	inner := document(depth - 1)
	return rapid.OneOf(append(leaves, rapid.SliceOfN(inner, 0, 4).AsAny(), rapid.MapOfN(word, inner, 0, 4).AsAny())...)
}

func TestMeasureIsExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,"b":[1,2,{"c":null}]}`: `{"a": 1, "b": [1, 2, {"c": null}]}`,
		`{",:\"":",:\\","\\":1}`:       `{",:\"": ",:\\", "\\": 1}`,
		`"a,b:c"`:                      `"a,b:c"`,
		`[]`:                           `[]`,
		`[1e9,-1.5e+9,2e-7,0]`:         `[1000000000, -1500000000, 0.0000002, 0]`,
	} {
		if got, err := measure([]byte(text)); err != nil || got != len(want) {
			t.Errorf("%s: got %d and %v, want %d", text, got, err, len(want))
		}
	}
}

// TestNumberSizeAtTheLimits compares with numeric where it begins to refuse.
func TestNumberSizeAtTheLimits(t *testing.T) {
	t.Parallel()
	conn := pgtest.NewDB(t).Connect(t)
	for _, number := range []string{
		"1e120000", "1e131071", "-9.9e131071", "1e131072", "1e131073", "10e131071", "0.001e131073", "0.1e131073",
		"0e131073", "0e1073741822", "0e1073741823", "0e-16383", "0e-16384", "1e-16383", "1e-16384", "1.5e-16382", "1.50e-16382",
		"1e2147483648", "1e-2147483649", "1e99999999999999999999", "1e-99999999999999999999", "1e0000000005",
		strings.Repeat("9", 131072), strings.Repeat("9", 131073), "0." + strings.Repeat("0", 16382) + "1",
		"0." + strings.Repeat("0", 16383) + "1", "1." + strings.Repeat("1", 16384) + "e1", "0." + strings.Repeat("0", 17000) + "1e17001",
	} {
		compareNumber(t, conn, number)
	}
}

func TestNumberSize(t *testing.T) {
	t.Parallel()
	conn := pgtest.NewDB(t).Connect(t)
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,4})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,6})?`)
	rapid.Check(t, func(t *rapid.T) { compareNumber(t, conn, number.Draw(t, "number")) })
}

// tester is what testing and rapid have in common.
type tester interface {
	Errorf(format string, args ...any)
	Context() context.Context
}

// compareNumber wants the size that PostgreSQL's print of a number has, and an error where it has one. The sign of a
// negative 0 is not printed.
func compareNumber(t tester, conn *pgx.Conn, number string) {
	want, refused := printed(t.Context(), conn, number)
	got, err := numberSize([]byte(number))
	if mantissa, _, _ := strings.Cut(strings.ToLower(number), "e"); refused == nil && strings.Trim(mantissa, "-0.") == "" {
		want += strings.Count(mantissa, "-")
	}
	if (err != nil) != (refused != nil) || refused == nil && got != want {
		t.Errorf("%.30s (%d characters): got %d and %v, want %d and %v", number, len(number), got, err, want, refused)
	}
}

// TestEscapesAsJSONB draws strings of escapes, many of which jsonb refuses.
func TestEscapesAsJSONB(t *testing.T) {
	t.Parallel()
	conn := pgtest.NewDB(t).Connect(t)
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		`\u0000`, `\ud83d`, `\uDE00`, `\uD800`, `\udfff`, `\u0041`, `\ue000`, `\\`, `\"`, `u0000`, `d800`, `a`, `é`,
	}), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		text := `{"` + strings.Join(pieces.Draw(t, "key"), "") + `":"` + strings.Join(pieces.Draw(t, "value"), "") + `"}`
		want, refused := printed(t.Context(), conn, text)
		got, err := measure([]byte(text))
		if (err != nil) != (refused != nil) || got < want {
			t.Errorf("%s: got %d and %v, want %d and %v", text, got, err, want, refused)
		}
	})
}
