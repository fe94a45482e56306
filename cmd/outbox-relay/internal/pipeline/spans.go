package pipeline

import (
	"errors"
	"sync"
	"time"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// Tracer follows events that belong to a trace.
type Tracer interface {
	// Begin opens a span for a record, from its commit on (microseconds since 1970; 0
	// if it is not known), and puts the span's own id into the record's traceparent,
	// so that the consumer's spans hang on it. It returns nil and leaves the record
	// alone if that belongs to no trace, or to one that is not sampled.
	Begin(rec *router.Record, committed int64) Span
}

// Span is one event's way from the commit to the brokers.
type Span interface {
	// End closes it; err says why the event has not arrived.
	End(at time.Time, err error)
}

// spans are those of the events on their way. nil follows none.
type spans struct {
	mu   sync.Mutex
	open map[*kafka.Message]Span
}

func (s *spans) begin(m *kafka.Message, span Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[m] = span
}

// end closes the spans of acknowledged messages. It must be done before their memory
// is used again.
func (s *spans) end(done []*kafka.Message, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) == 0 {
		return
	}
	for _, m := range done {
		if span, ok := s.open[m]; ok {
			delete(s.open, m)
			span.End(at, nil)
		}
	}
}

var errAbandoned = errors.New("the session ended before the brokers acknowledged it; it is sent again")

// abandon closes what a session leaves behind.
func (s *spans) abandon() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for m, span := range s.open {
		delete(s.open, m)
		span.End(time.Now(), errAbandoned)
	}
}

// follow lets a flow remember its events, and follow those of a trace.
func (r *Relay) follow(f *flow) {
	f.recent = &r.recent
	if r.cfg.Tracer != nil {
		f.spans = &spans{open: make(map[*kafka.Message]Span)}
	}
}
