package schema_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outbox-relay/outbox-relay/schema"
)

func TestStringConverter(t *testing.T) {
	t.Parallel()
	str := schema.Converter{Name: "string"}
	hstore := user(schema.TypeInfo{Name: "hstore", Kind: 'b'})
	asMap := schema.TypeOptions{HStoreHandling: "map"}
	cases := []struct {
		name string
		col  schema.Column
		opt  schema.TypeOptions
		text string
		want string
	}{
		{"int", column(23, -1), schema.TypeOptions{}, "7", "7"},
		{"bool", column(16, -1), schema.TypeOptions{}, "f", "false"},
		{"float", column(701, -1), schema.TypeOptions{}, "100", "100.0"},
		{"decimal", column(1700, numeric(10, 2)), schema.TypeOptions{}, "100.50", "100.50"},
		{"text", column(25, -1), schema.TypeOptions{}, "a b", "a b"},
		{"empty", column(25, -1), schema.TypeOptions{}, "", ""},
		{"bytea is its bytes", column(17, -1), schema.TypeOptions{}, `\x6869`, "hi"},
		{"array", column(1009, -1), schema.TypeOptions{}, `{a,NULL,"b c"}`, "[a, null, b c]"},
		{"bytea in an array", column(1001, -1), schema.TypeOptions{}, `{"\\x6869"}`, "[java.nio.HeapByteBuffer[pos=0 lim=2 cap=2]]"},
		{"map", hstore, asMap, `"a"=>"1", "b"=>NULL`, "{a=1, b=null}"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := encode(t, tc.col, tc.opt, str, tc.text); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestConverterRefuses(t *testing.T) {
	t.Parallel()
	binary := schema.Converter{Name: "binary"}
	cases := []struct {
		name string
		conv schema.Converter
		col  schema.Column
		opt  schema.TypeOptions
		want string
	}{
		{"string and numeric", schema.Converter{Name: "string"}, column(1700, -1), schema.TypeOptions{}, "VariableScaleDecimal"},
		{"string and numeric[]", schema.Converter{Name: "string"}, column(1231, -1), schema.TypeOptions{}, "VariableScaleDecimal"},
		{"string and bits", schema.Converter{Name: "string"}, column(1560, 8), schema.TypeOptions{}, "Bits"},
		{"string and point", schema.Converter{Name: "string"}, column(600, -1), schema.TypeOptions{}, "Point"},
		{"string and connect's time", schema.Converter{Name: "string"}, column(1114, -1), schema.TypeOptions{TimePrecision: "connect"}, "Timestamp"},
		{"bytearray and text", schema.Converter{Name: "bytearray"}, column(25, -1), schema.TypeOptions{}, "bytea only"},
		{"binary and text", binary, column(25, -1), schema.TypeOptions{}, "delegate"},
		{"binary twice", schema.Converter{Name: "binary", Delegate: &binary}, column(25, -1), schema.TypeOptions{}, "cannot delegate"},
		{"avro", schema.Converter{Name: "avro"}, column(25, -1), schema.TypeOptions{}, "none of"},
		{"decimal format", schema.Converter{Name: "json", DecimalFormat: "x"}, column(25, -1), schema.TypeOptions{}, "decimal.format"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, err := schema.Bind(&tc.col, tc.opt)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tc.conv.Bind(c.Schema); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func TestBinaryConverters(t *testing.T) {
	t.Parallel()
	jsonDelegate := schema.Converter{Name: "binary", Delegate: &jsonPlain}
	if got := encode(t, column(17, -1), schema.TypeOptions{}, jsonDelegate, `\x6869`); got != "hi" {
		t.Errorf("bytea: got %q", got)
	}
	if got := encode(t, column(25, -1), schema.TypeOptions{}, jsonDelegate, `x`); got != `"x"` {
		t.Errorf("delegated text: got %q", got)
	}
	if got := encode(t, column(17, -1), schema.TypeOptions{}, schema.Converter{Name: "bytearray"}, `\x`); got != "" {
		t.Errorf("empty bytea: got %q", got)
	}
	numericFormat := schema.Converter{Name: "json", DecimalFormat: "NUMERIC"}
	if got := encode(t, column(1700, numeric(38, 10)), schema.TypeOptions{}, numericFormat, "-12.3400000000"); got != "-12.3400000000" {
		t.Errorf("numeric decimal: got %q", got)
	}
}

// TestStringConverterRefuses: what Java prints otherwise from run to run, or
// from machine to machine.
func TestStringConverterRefuses(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		col  schema.Column
		opt  schema.TypeOptions
		want string // part of the error; "" for none
	}{
		{"numeric", column(1700, -1), defaults, "VariableScaleDecimal differently in each run"},
		{"point", column(600, -1), defaults, "Point differently in each run"},
		{"bit(8)", column(1560, 8), defaults, "Bits differently in each run"},
		{"numeric[]", array(1231), defaults, "VariableScaleDecimal differently in each run"},
		{"connect date", column(1082, -1), connectTimes, "connect.data.Date in the time zone of the machine"},
		{"connect timestamp", column(1114, -1), connectTimes, "connect.data.Timestamp in the time zone of the machine"},
		{"timestamp", column(1114, -1), defaults, ""},
		{"bytea", column(17, -1), defaults, ""},
		{"numeric(10,2)", column(1700, numeric(10, 2)), defaults, ""},
	}
	for _, tc := range cases {
		c, err := schema.Bind(&tc.col, tc.opt)
		if err != nil {
			t.Fatal(err)
		}
		_, err = schema.Converter{Name: "string"}.Bind(c.Schema)
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", tc.name, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %v, want an error that says %q", tc.name, err, tc.want)
		}
	}
}

// TestJSONStringsReadBack checks the escaping against Go's own reader.
func TestJSONStringsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.String().Draw(rt, "text")
		var back string
		got := encode(t, column(25, -1), schema.TypeOptions{}, jsonPlain, text)
		if err := json.Unmarshal([]byte(got), &back); err != nil || back != text {
			rt.Fatalf("%q became %s, which reads as %q (%v)", text, got, back, err)
		}
	})
}

// TestCalendarEqualsTime checks dates and times against package time.
func TestCalendarEqualsTime(t *testing.T) {
	t.Parallel()
	date := column(1082, -1)
	zoned := column(1184, -1)
	rapid.Check(t, func(rt *rapid.T) {
		micros := rapid.Int64Range(-62_135_596_800_000_000, 253_402_300_799_999_999).Draw(rt, "micros") // years 1 to 9999
		offset := 60 * rapid.IntRange(-15*60, 15*60).Draw(rt, "minutes east")
		at := time.UnixMicro(micros).UTC()
		days := at.Unix() / 86400
		if at.Unix()%86400 < 0 {
			days--
		}
		if got, want := encode(t, date, schema.TypeOptions{}, jsonPlain, at.Format("2006-01-02")), itoa(days); got != want {
			rt.Fatalf("date %v: %s, want %s", at, got, want)
		}
		local := at.In(time.FixedZone("", offset))
		if local.Year() < 1 || local.Year() > 9999 {
			return
		}
		text := local.Format("2006-01-02 15:04:05.999999-07:00")
		if got, want := encode(t, zoned, schema.TypeOptions{}, simple, text), at.Format("2006-01-02T15:04:05.000000Z"); got != want {
			rt.Fatalf("%s: %s, want %s", text, got, want)
		}
	})
}

func itoa(n int64) string {
	b, _ := json.Marshal(n)
	return string(b)
}

func TestEncodingDoesNotAllocate(t *testing.T) {
	cases := []struct {
		name string
		col  schema.Column
		conv schema.Converter
		text string
	}{
		{"text as JSON", column(25, -1), jsonSchema, `a "quoted" 😀`},
		{"int as JSON", column(23, -1), jsonSchema, "42"},
		{"float header", column(701, -1), simple, "1.5"},
		{"timestamptz header", column(1184, -1), simple, "2019-03-24 20:52:59.5+02"},
		{"timestamp header", column(1114, -1), simple, "2019-03-24 20:52:59.5"},
		{"decimal header", column(1700, numeric(10, 2)), simple, "100.50"},
		{"decimal as JSON", column(1700, numeric(10, 2)), jsonPlain, "100.50"},
		{"bytea as JSON", column(17, -1), jsonPlain, `\x00ff`},
	}
	for _, tc := range cases {
		c, err := schema.Bind(&tc.col, schema.DefaultTypeOptions())
		if err != nil {
			t.Fatal(err)
		}
		e, err := tc.conv.Bind(c.Schema)
		if err != nil {
			t.Fatal(err)
		}
		d := schema.Datum{Kind: schema.Text, Bytes: []byte(tc.text)}
		var buf []byte
		allocs := testing.AllocsPerRun(1000, func() {
			v, b, err := c.Decode(d, buf[:0])
			if err == nil {
				_, b, err = e.Encode(v, b)
			}
			if buf = b; err != nil {
				t.Fatal(err)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations, want 0", tc.name, allocs)
		}
	}
}
