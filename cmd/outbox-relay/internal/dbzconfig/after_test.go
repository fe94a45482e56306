package dbzconfig_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

var simple = schema.Converter{Name: "simple"}

// record is a record with headers of the names; each header's value is its place.
func record(topic string, headers ...string) *router.Record {
	rec := &router.Record{Topic: topic, Partition: router.ByKey, Key: []byte("k"), Value: []byte("v"), Timestamp: 5}
	for i, h := range headers {
		rec.Headers = append(rec.Headers, router.Header{Key: h, Value: fmt.Append(nil, i)})
	}
	return rec
}

// line is a record's topic and headers.
func line(rec *router.Record) string {
	out := rec.Topic
	for _, h := range rec.Headers {
		if h.Value == nil {
			out += " " + h.Key + "=null"
			continue
		}
		out += fmt.Sprintf(" %s=%s", h.Key, h.Value)
	}
	return out
}

func TestAfter(t *testing.T) {
	t.Parallel()
	tests := []struct{ chain, want string }{
		{"", "orders.v1 id=0 a=1 b=2 a=3"},
		{"RegexRouter(regex=orders.*,replacement=all)", "all id=0 a=1 b=2 a=3"},
		{`RegexRouter(regex="(.*)\.v1", replacement="$1-x")`, "orders-x id=0 a=1 b=2 a=3"},
		{"RegexRouter(regex=orders,replacement=x)", "orders.v1 id=0 a=1 b=2 a=3"},
		{`RegexRouter(regex="(?<t>\w+)\..*",replacement=${t})`, "orders id=0 a=1 b=2 a=3"},
		{"DropHeaders(headers=id)", "orders.v1 a=1 b=2 a=3"},
		{"DropHeaders(headers=a,id)", "orders.v1 b=2"},
		{`DropHeaders(headers="a, b")`, "orders.v1 id=0"},
		{"DropHeaders(headers=A)", "orders.v1 id=0 a=1 b=2 a=3"},
		{"InsertHeader(header=a,value.literal=text)", "orders.v1 id=0 a=1 b=2 a=3 a=text"},
		{`InsertHeader(header="x (y)",value.literal="""q"", (1)")`, `orders.v1 id=0 a=1 b=2 a=3 x (y)="q", (1)`},
		{"InsertHeader(header=n,value.literal=007)", "orders.v1 id=0 a=1 b=2 a=3 n=7"},
		{"InsertHeader(header=n,value.literal=\"\")", "orders.v1 id=0 a=1 b=2 a=3 n="},
		{" RegexRouter( regex = .* , replacement = x ) ; DropHeaders(headers=a);; ", "!write a chain as"},
		{"RegexRouter(regex=.*,replacement=x);RegexRouter(regex=x,replacement=y);", "y id=0 a=1 b=2 a=3"},
		{"DropHeaders(headers=a);InsertHeader(header=a,value.literal=new)", "orders.v1 id=0 b=2 a=new"},
		{"DropHeaders(headers=a,if.topic=orders.*)", "orders.v1 id=0 b=2"},
		{"DropHeaders(headers=a,if.topic=orders)", "orders.v1 id=0 a=1 b=2 a=3"},
		{"DropHeaders(headers=a,unless.topic=orders)", "orders.v1 id=0 b=2"},
		{"DropHeaders(headers=a,unless.topic=orders.v1)", "orders.v1 id=0 a=1 b=2 a=3"},
		{"RegexRouter(regex=.*,replacement=x);DropHeaders(headers=a,if.topic=x)", "x id=0 b=2"},

		{"DropHeaders", "!write a chain as"},
		{"DropHeaders(headers=a", "!write a chain as"},
		{"DropHeaders(a)", "!write a chain as"},
		{"DropHeaders(headers=a)DropHeaders(headers=b)", "!write a chain as"},
		{`DropHeaders(headers="a)`, "!a quote is not closed"},
		{"DropHeaders(headers=)", "!DropHeaders: headers names none"},
		{"DropHeaders(header=a)", "!DropHeaders: there is no option header; there is headers"},
		{"DropHeaders(headers=a,headers=b)", "!headers is there twice"},
		{"RegexRouter(regex=x)", "!RegexRouter: replacement is missing"},
		{"RegexRouter(regex=x,replacement=)", "!the topic's name is empty"},
		{`RegexRouter(regex="(",replacement=x)`, "!regular expression"},
		{"RegexRouter(regex=x,replacement=$1)", "!no group 1"},
		{`DropHeaders(headers=a,if.topic="(")`, "!regular expression"},
		{"InsertHeader(header=,value.literal=x)", "!header is empty"},
		{"InsertHeader(header=a,value.literal=1.5)", "!a number with a fraction"},
		{"Filter(condition=x)", "!Filter: there is RegexRouter, DropHeaders and InsertHeader"},
	}
	for _, test := range tests {
		t.Run(test.chain, func(t *testing.T) {
			t.Parallel()
			after, err := dbzconfig.ParseAfter(test.chain, simple)
			if reason, fails := strings.CutPrefix(test.want, "!"); fails {
				if err == nil || !strings.Contains(err.Error(), reason) || !strings.HasPrefix(err.Error(), "-transforms.after: ") {
					t.Errorf("got %v, want %q", err, reason)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time from memory
				rec := record("orders.v1", "id", "a", "b", "a")
				if err := after.Apply(rec); err != nil {
					t.Fatal(err)
				}
				if got := line(rec); got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
				want := record("orders.v1", "id", "a", "b", "a")
				want.Topic, want.Headers, rec.Headers, want.Topic = "", nil, nil, rec.Topic
				if diff := cmp.Diff(fmt.Sprint(*want), fmt.Sprint(*rec)); diff != "" {
					t.Errorf("more than topic and headers changed: %s", diff)
				}
			}
		})
	}
}

// TestInsertedHeader has the bytes that Connect's converters make of a literal, by the type that Connect sees in it.
func TestInsertedHeader(t *testing.T) {
	t.Parallel()
	withSchema := schema.Converter{Name: "json", SchemasEnable: true}
	tests := []struct {
		literal      string
		simple, json string // ! for an error
	}{
		{"text", "text", `{"schema":{"type":"string","optional":false},"payload":"text"}`},
		{" a ", " a ", `{"schema":{"type":"string","optional":false},"payload":" a "}`},
		{"true", "true", `{"schema":{"type":"boolean","optional":false},"payload":true}`},
		{"TRUE", "TRUE", `{"schema":{"type":"string","optional":false},"payload":"TRUE"}`},
		{"127", "127", `{"schema":{"type":"int8","optional":false},"payload":127}`},
		{"-129", "-129", `{"schema":{"type":"int16","optional":false},"payload":-129}`},
		{"+70000", "70000", `{"schema":{"type":"int32","optional":false},"payload":70000}`},
		{"5000000000", "5000000000", `{"schema":{"type":"int64","optional":false},"payload":5000000000}`},
		{`"quoted"`, `"quoted"`, `{"schema":{"type":"string","optional":false},"payload":"\"quoted\""}`},
		{"v1", "v1", `{"schema":{"type":"string","optional":false},"payload":"v1"}`},
		{"null", "!", "!"}, {" null ", "!", "!"}, {"[a]", "!", "!"}, {"{a:1}", "!", "!"}, {"1.5", "!", "!"}, {"2024-01-01", "!", "!"}, {"10:30", "!", "!"}, {"99999999999999999999", "!", "!"}, {"-x", "!", "!"},
	}
	for _, test := range tests {
		t.Run(test.literal, func(t *testing.T) {
			t.Parallel()
			for _, c := range []struct {
				converter schema.Converter
				want      string
			}{{simple, test.simple}, {withSchema, test.json}} {
				after, err := dbzconfig.ParseAfter(`InsertHeader(header=h,value.literal="`+strings.ReplaceAll(test.literal, `"`, `""`)+`")`, c.converter)
				if err != nil {
					if c.want != "!" {
						t.Error(err)
					}
					continue
				}
				rec := record("t")
				if err := after.Apply(rec); err != nil || string(rec.Headers[0].Value) != c.want {
					t.Errorf("%s: got %s, %v, want %s", c.converter.Name, rec.Headers[0].Value, err, c.want)
				}
			}
		})
	}
}

func TestAfterAllocates(t *testing.T) {
	for chain, most := range map[string]float64{
		"": 0,
		"RegexRouter(regex=a.*,replacement=x,if.topic=.*);DropHeaders(headers=id)": 0,
		"InsertHeader(header=h,value.literal=x)":                                   0,
	} {
		after, err := dbzconfig.ParseAfter(chain, simple)
		if err != nil {
			t.Fatal(err)
		}
		rec := record("a.b", "id", "c", "d", "e")
		headers := rec.Headers
		got := testing.AllocsPerRun(100, func() {
			rec.Topic, rec.Headers = "a.b", headers[:3]
			if err := after.Apply(rec); err != nil {
				t.Fatal(err)
			}
		})
		if got > most {
			t.Errorf("%q: %v allocations, want %v", chain, got, most)
		}
	}
}

func FuzzParseAfter(f *testing.F) {
	for _, seed := range []string{"", "DropHeaders(headers=a,b)", `RegexRouter(regex="(a)""",replacement=$1);InsertHeader(header=x,value.literal=1)`, "A(b=", `A("`, ";;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		after, err := dbzconfig.ParseAfter(text, simple)
		if err == nil {
			if err := after.Apply(record("topic", "id", "a")); err != nil {
				t.Skip(err) // a regular expression that takes too long
			}
		}
	})
}
