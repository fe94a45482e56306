package otlp

import (
	"context"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/router"
)

// scopeName is what spans and metrics come from.
const scopeName = "github.com/outbox-relay/outbox-relay"

// Tracer opens spans for events that carry a traceparent in their headers, wherever that came from.
type Tracer struct {
	tracer trace.Tracer
	slot   attribute.KeyValue
	buf    []byte
}

// NewTracer returns a tracer for the events of a slot. It is used by one goroutine.
func NewTracer(provider trace.TracerProvider, slot string) *Tracer {
	return &Tracer{tracer: provider.Tracer(scopeName), slot: attribute.String("outbox_relay.slot", slot)}
}

// Begin implements pipeline.Tracer. The sampler decides by the parent, if the environment does not want it otherwise.
func (t *Tracer) Begin(rec *router.Record, committed int64) pipeline.Span {
	parent := header(rec, "traceparent")
	if parent == nil {
		return nil
	}
	remote, ok := remoteContext(parent.Value, header(rec, "tracestate"))
	if !ok {
		return nil
	}
	ctx := trace.ContextWithRemoteSpanContext(context.Background(), remote)
	_, s := t.tracer.Start(ctx, "send "+rec.Topic, t.options(rec, committed)...)
	if !s.SpanContext().IsSampled() {
		return nil
	}
	t.buf = appendTraceparent(t.buf[:0], s.SpanContext())
	parent.Value = t.buf // which is copied before the next event comes
	return sdkSpan{s}
}

func (t *Tracer) options(rec *router.Record, committed int64) []trace.SpanStartOption {
	attributes := []attribute.KeyValue{
		t.slot, attribute.String("messaging.system", "kafka"), attribute.String("messaging.operation.name", "send"),
		attribute.String("messaging.operation.type", "send"), attribute.String("messaging.destination.name", rec.Topic),
	}
	if id := header(rec, "id"); id != nil {
		attributes = append(attributes, attribute.String("messaging.message.id", string(id.Value)))
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindProducer), trace.WithAttributes(attributes...)}
	if committed != 0 {
		options = append(options, trace.WithTimestamp(time.UnixMicro(committed)))
	}
	return options
}

// header finds a header of the record; nil if it has none.
func header(rec *router.Record, key string) *router.Header {
	for i := range rec.Headers {
		if rec.Headers[i].Key == key {
			return &rec.Headers[i]
		}
	}
	return nil
}

// remoteContext reads a traceparent, and the tracestate beside it as far as it is valid.
func remoteContext(parent []byte, state *router.Header) (c trace.SpanContext, ok bool) {
	if !router.ValidTraceparent(parent) {
		return c, false
	}
	traceID, err := trace.TraceIDFromHex(string(parent[3:35]))
	if err != nil {
		return c, false
	}
	spanID, err := trace.SpanIDFromHex(string(parent[36:52]))
	if err != nil {
		return c, false
	}
	config := trace.SpanContextConfig{TraceID: traceID, SpanID: spanID, Remote: true}
	if flags, err := strconv.ParseUint(string(parent[53:]), 16, 8); err == nil {
		config.TraceFlags = trace.TraceFlags(flags) & trace.FlagsSampled
	}
	if state != nil {
		if parsed, err := trace.ParseTraceState(string(state.Value)); err == nil {
			config.TraceState = parsed
		}
	}
	return trace.NewSpanContext(config), true
}

func appendTraceparent(b []byte, c trace.SpanContext) []byte {
	b = append(b, "00-"...)
	b = append(b, c.TraceID().String()...)
	b = append(b, '-')
	b = append(b, c.SpanID().String()...)
	return append(append(b, '-'), c.TraceFlags().String()...)
}

// sdkSpan is an SDK's span as the pipeline knows it.
type sdkSpan struct{ trace.Span }

// End implements pipeline.Span.
func (s sdkSpan) End(at time.Time, err error) {
	if err != nil {
		s.SetStatus(codes.Error, err.Error())
	}
	s.Span.End(trace.WithTimestamp(at))
}
