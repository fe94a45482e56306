package otlp

import (
	"context"

	"go.opentelemetry.io/otel/sdk/trace"
)

// Spans implements the SDK's trace.SpanExporter.
type Spans struct {
	client *Client
	tell   func(error)
}

// NewSpans returns an exporter; tell is called with nil after a success, and with what went wrong after a failure.
func NewSpans(client *Client, tell func(error)) *Spans { return &Spans{client, tell} }

// ExportSpans implements trace.SpanExporter. A failure is told and not returned: the SDK would write it to a log of its
// own.
func (s *Spans) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	if len(spans) > 0 {
		s.tell(s.client.post(ctx, "/v1/traces", traces(spans)))
	}
	return nil
}

// Shutdown implements trace.SpanExporter.
func (s *Spans) Shutdown(context.Context) error { return nil }

type tracesJSON struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resourceJSON `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type scopeSpans struct {
	Scope scopeJSON  `json:"scope"`
	Spans []spanJSON `json:"spans"`
}

type spanJSON struct {
	TraceID      string     `json:"traceId"`
	SpanID       string     `json:"spanId"`
	ParentSpanID string     `json:"parentSpanId,omitempty"`
	TraceState   string     `json:"traceState,omitempty"`
	Flags        uint32     `json:"flags"`
	Name         string     `json:"name"`
	Kind         int        `json:"kind"`
	Start        string     `json:"startTimeUnixNano"`
	End          string     `json:"endTimeUnixNano"`
	Attributes   []keyValue `json:"attributes,omitempty"`
	Status       statusJSON `json:"status"`
}

type statusJSON struct {
	Message string `json:"message,omitempty"`
	Code    int    `json:"code,omitempty"`
}

// traces puts spans into a document. All of them have the same resource and scope, because one tracer makes them.
func traces(spans []trace.ReadOnlySpan) tracesJSON {
	list := make([]spanJSON, 0, len(spans))
	for _, s := range spans {
		list = append(list, span(s))
	}
	scope := spans[0].InstrumentationScope()
	return tracesJSON{[]resourceSpans{{
		Resource:   resourceJSON{attributes(spans[0].Resource().Attributes())},
		ScopeSpans: []scopeSpans{{scopeJSON{scope.Name, scope.Version}, list}},
	}}}
}

// The flags of a span say that it is known whether its parent is in another process (opentelemetry/proto/trace/v1,
// SpanFlags).
const (
	flagHasIsRemote = 0x100
	flagIsRemote    = 0x200
)

func span(s trace.ReadOnlySpan) spanJSON {
	c, parent := s.SpanContext(), s.Parent()
	out := spanJSON{
		TraceID: c.TraceID().String(), SpanID: c.SpanID().String(), TraceState: c.TraceState().String(), Flags: uint32(c.TraceFlags()) | flagHasIsRemote,
		Name: s.Name(), Kind: int(s.SpanKind()), Start: nanos(s.StartTime()), End: nanos(s.EndTime()), Attributes: attributes(s.Attributes()),
	}
	if parent.HasSpanID() {
		out.ParentSpanID = parent.SpanID().String()
	}
	if parent.IsRemote() {
		out.Flags |= flagIsRemote
	}
	// The SDK counts unset, error, ok; the protocol unset, ok, error.
	switch status := s.Status(); status.Code.String() {
	case "Error":
		out.Status = statusJSON{Message: status.Description, Code: 2}
	case "Ok":
		out.Status.Code = 1
	}
	return out
}
