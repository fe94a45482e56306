package otlp_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	api "go.opentelemetry.io/otel/trace"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/otlp"
	"github.com/outbox-relay/outbox-relay/router"
)

const incoming = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func record(headers ...string) *router.Record {
	rec := &router.Record{Topic: "orders"}
	for i := 0; i < len(headers); i += 2 {
		rec.Headers = append(rec.Headers, router.Header{Key: headers[i], Value: []byte(headers[i+1])})
	}
	return rec
}

// The record carries the span's own id on, in the trace that it came with.
func TestTracer(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	tracer := otlp.NewTracer(trace.NewTracerProvider(trace.WithSpanProcessor(recorder)), "outbox_relay")
	rec := record("traceparent", incoming, "tracestate", "congo=t61", "id", "42")
	span := tracer.Begin(rec, noon.UnixMicro())
	if span == nil {
		t.Fatal("no span")
	}
	span.End(noon.Add(time.Second), nil)
	got := recorder.Ended()[0]
	c := got.SpanContext()
	if want := "00-0af7651916cd43dd8448eb211c80319c-" + c.SpanID().String() + "-01"; string(rec.Headers[0].Value) != want || c.SpanID().String() == incoming[36:52] {
		t.Errorf("the record carries %s, want %s", rec.Headers[0].Value, want)
	}
	if p := got.Parent(); p.SpanID().String() != incoming[36:52] || !p.IsRemote() || c.TraceState().String() != "congo=t61" {
		t.Errorf("parent %v, state %s", p, c.TraceState())
	}
	if got.Name() != "send orders" || got.SpanKind() != api.SpanKindProducer || !got.StartTime().Equal(noon) || !got.EndTime().Equal(noon.Add(time.Second)) {
		t.Errorf("span %s from %v to %v", got.Name(), got.StartTime(), got.EndTime())
	}
	set := attribute.NewSet(got.Attributes()...)
	if !cmp.Equal(set.Encoded(attribute.DefaultEncoder()),
		"messaging.destination.name=orders,messaging.message.id=42,messaging.operation.name=send,messaging.operation.type=send,messaging.system=kafka,outbox_relay.slot=outbox_relay") {
		t.Errorf("attributes %v", got.Attributes())
	}
	lost := tracer.Begin(record("traceparent", incoming), 0)
	lost.End(time.Now(), errors.New("lost"))
	if s := recorder.Ended()[1].Status(); s.Description != "lost" {
		t.Errorf("status %+v", s)
	}
}

func TestTracerLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	tracer := otlp.NewTracer(trace.NewTracerProvider(trace.WithSpanProcessor(recorder)), "s")
	for _, headers := range [][]string{{"id", "42"}, {"traceparent", incoming[:54] + "0"}, {"traceparent", incoming[:53] + "fe"}, {"traceparent", "nonsense"}} {
		rec := record(headers...)
		if span := tracer.Begin(rec, 1); span != nil || string(rec.Headers[0].Value) != headers[1] {
			t.Errorf("%v: span %v, header now %s", headers, span, rec.Headers[0].Value)
		}
	}
	if span := tracer.Begin(record("traceparent", incoming[:53]+"0b"), 1); span == nil {
		t.Error("the lowest bit of 0b is set, and there is no span")
	}
}
