package pipeline_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/otlp"
)

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	parent  = "00-" + traceID + "-b7ad6b7169203331-01"
)

const tracedTable = `CREATE TABLE outbox (
	id uuid PRIMARY KEY, aggregatetype varchar(255) NOT NULL, aggregateid varchar(255) NOT NULL, type varchar(255) NOT NULL, payload jsonb, tracingspancontext varchar(256))`

func (r *rig) insertTraced(t *testing.T, n int, context any) {
	t.Helper()
	r.db.Exec(t, `INSERT INTO outbox VALUES ($1, 'all', 'k', 'T', '{}', $2)`, rowID(n), context)
}

// Without OpenTelemetry the context of a trace goes through as it came; with it each event is a span of that trace, and
// the record carries the span on.
func TestTraces(t *testing.T) {
	t.Parallel()
	r := newRig(t, tracedTable)
	r.router.TraceField = "tracingspancontext"
	plain := r.start(t)
	plain.streaming(t)
	r.insertTraced(t, 1, "#a comment\ntraceparent="+parent+"\n")
	r.insertTraced(t, 2, nil)
	wantTexts(t, r.records(t, r.topic, 2), "k {} traceparent="+parent+" id="+rowID(1), "k {} id="+rowID(2))
	plain.stop(t)

	spans := tracetest.NewSpanRecorder()
	r.relay.Tracer = otlp.NewTracer(trace.NewTracerProvider(trace.WithSpanProcessor(spans)), "s")
	before := time.Now()
	run := r.start(t)
	run.streaming(t)
	r.insertTraced(t, 3, parent)
	r.insertTraced(t, 4, nil)
	records := r.records(t, r.topic, 4)
	run.stop(t)
	ended := spans.Ended()
	if len(ended) != 1 || ended[0].Parent().SpanID().String() != "b7ad6b7169203331" || ended[0].SpanContext().TraceID().String() != traceID {
		t.Fatalf("spans %v", ended)
	}
	s := ended[0]
	own := "00-" + traceID + "-" + s.SpanContext().SpanID().String() + "-01"
	wantTexts(t, records[2:], "k {} traceparent="+own+" id="+rowID(3), "k {} id="+rowID(4))
	if s.StartTime().Before(before) || s.EndTime().Before(s.StartTime()) || s.EndTime().After(time.Now()) || s.Status().Description != "" {
		t.Errorf("from %v to %v, %+v", s.StartTime(), s.EndTime(), s.Status())
	}
}

// What a lost session leaves unacknowledged ends as an error, and is followed anew when it is sent again.
func TestTraceOfALostSession(t *testing.T) {
	t.Parallel()
	r := newRig(t, tracedTable)
	r.router.TraceField = "tracingspancontext"
	startBroker := r.later(t)
	spans := tracetest.NewSpanRecorder()
	r.relay.Tracer = otlp.NewTracer(trace.NewTracerProvider(trace.WithSpanProcessor(spans)), "s")
	run := r.start(t)
	run.streaming(t)
	r.insertTraced(t, 1, parent)
	run.present(t, "waiting", hasUnacked)
	r.db.Exec(t, `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = $1`, r.db.Name)
	startBroker()
	r.records(t, r.topic, 1)
	run.stop(t)
	var ends []string
	for _, s := range spans.Ended() {
		ends = append(ends, s.Status().Description)
	}
	slices.Sort(ends)
	if len(ends) != 2 || ends[0] != "" || !strings.Contains(ends[1], "sent again") {
		t.Errorf("the spans end with %q", ends)
	}
}
