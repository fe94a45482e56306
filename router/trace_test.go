package router_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func traced(o *router.Options) {
	o.TraceField = "tracingspancontext"
	o.Context = []router.ContextHeader{{Key: "__debezium.context.connectorName", Value: "postgresql"}}
	o.AdditionalPlacement = "type:header:eventType"
}

// The headers of a trace stand before id, behind those of Debezium's context.
func TestTrace(t *testing.T) {
	t.Parallel()
	p := plan(t, outbox(schema.Column{Name: "tracingspancontext", TypeOID: 1043, TypeMod: -1}), traced)
	tests := []struct{ name, column, want string }{
		{"as Debezium's extension writes it", "#Mon Mar 02 10:11:12 UTC 2026\ntraceparent=" + traceparent + "\n", "traceparent=" + traceparent},
		{"with state and baggage", "baggage=userId\\=alice\r\ntracestate = congo\\=t61,rojo\\=00f\r\ntraceparent:" + traceparent, "traceparent=" + traceparent + " tracestate=congo=t61,rojo=00f baggage=userId=alice"},
		{"a traceparent alone", " " + traceparent + "\n", "traceparent=" + traceparent},
		{"not sampled", strings.TrimSuffix(traceparent, "1") + "0", "traceparent=" + strings.TrimSuffix(traceparent, "1") + "0"},
		{"null", null, ""},
		{"empty", "", ""},
		{"no traceparent", "tracestate=a=b\n", ""},
		{"another version", "traceparent=01" + traceparent[2:], ""},
		{"upper case", "traceparent=" + strings.ToUpper(traceparent), ""},
		{"an id of zeros", "traceparent=00-00000000000000000000000000000000-b7ad6b7169203331-01", ""},
		{"too short", traceparent[:54], ""},
		{"another propagator", "b3=80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1", ""},
	}
	var rec router.Record
	for _, test := range tests {
		if err := p.Route(row(uuid, "User", "k", "T", "{}", test.column), now, &rec); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		var got []string
		for _, h := range rec.Headers {
			got = append(got, h.Key+"="+string(h.Value))
		}
		want := append(append([]string{"__debezium.context.connectorName=postgresql"}, strings.Fields(test.want)...), "id="+uuid, "eventType=T")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestTraceDoesNotAllocate(t *testing.T) {
	p := plan(t, outbox(schema.Column{Name: "tracingspancontext", TypeOID: 1043, TypeMod: -1}), traced)
	values := row(uuid, "User", "k", "T", "{}", "traceparent="+traceparent+"\ntracestate=a\\=b")
	var rec router.Record
	if n := testing.AllocsPerRun(100, func() {
		if err := p.Route(values, now, &rec); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTraceWithoutItsColumn(t *testing.T) {
	t.Parallel()
	var rec router.Record
	if err := plan(t, outbox(), traced).Route(row(uuid, "User", "k", "T", "{}"), now, &rec); err != nil || len(rec.Headers) != 3 {
		t.Errorf("%v, headers %v", err, rec.Headers)
	}
	o := router.DefaultOptions()
	traced(&o)
	r, err := router.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Bind(outbox(schema.Column{Name: "tracingspancontext", TypeOID: 20, TypeMod: -1})); err == nil || !strings.Contains(err.Error(), "tracing.span.context.field") {
		t.Errorf("got %v for a column that is no text", err)
	}
}

func FuzzTrace(f *testing.F) {
	f.Add("traceparent=" + traceparent + "\ntracestate=a\\=b\n#x")
	f.Add("traceparent\\")
	p := plan(f, outbox(schema.Column{Name: "tracingspancontext", TypeOID: 25, TypeMod: -1}), traced)
	f.Fuzz(func(t *testing.T, column string) {
		var rec router.Record
		if err := p.Route(row(uuid, "User", "k", "T", "{}", column), now, &rec); err != nil {
			t.Skip(err)
		}
		for _, h := range rec.Headers {
			if h.Key == "traceparent" && !router.ValidTraceparent(h.Value) {
				t.Errorf("%q passes %q on", column, h.Value)
			}
		}
	})
}
