package kafka_test

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// source is a Source that a test feeds. It keeps what it gave until it is
// acknowledged, and gives that again after rewind.
type source struct {
	ready   chan struct{}
	onAcked func([]*kafka.Message) // may be nil

	mu      sync.Mutex
	given   []*kafka.Message // all, in order
	next    int              // index in given
	acked   map[*kafka.Message]int
	order   []*kafka.Message // in the order of their acknowledgement
	changed chan struct{}    // replaced at each acknowledgement
	closed  bool
}

func newSource(messages ...*kafka.Message) *source {
	s := &source{
		ready:   make(chan struct{}, 1),
		acked:   make(map[*kafka.Message]int),
		changed: make(chan struct{}),
	}
	s.give(messages...)
	return s
}

func (s *source) give(messages ...*kafka.Message) {
	s.mu.Lock()
	s.given = append(s.given, messages...)
	s.mu.Unlock()
	s.wake()
}

// close says that nothing comes any more.
func (s *source) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.wake()
}

// rewind has all that is not acknowledged given again, but for those in skip.
func (s *source) rewind(skip ...*kafka.Message) {
	s.mu.Lock()
	s.given = slices.DeleteFunc(s.given, func(m *kafka.Message) bool {
		return s.acked[m] > 0 || slices.Contains(skip, m)
	})
	s.next = 0
	s.mu.Unlock()
	s.wake()
}

func (s *source) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

func (s *source) Ready() <-chan struct{} { return s.ready }

func (s *source) Take(dst []*kafka.Message) []*kafka.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(cap(dst)-len(dst), len(s.given)-s.next)
	dst = append(dst, s.given[s.next:s.next+n]...)
	s.next += n
	return dst
}

func (s *source) Acked(done []*kafka.Message) {
	if s.onAcked != nil {
		s.onAcked(done)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range done {
		s.acked[m]++
	}
	s.order = append(s.order, done...)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *source) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed && s.next == len(s.given)
}

// ackedMessages are all that were acknowledged so far, in that order.
func (s *source) ackedMessages() []*kafka.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.order)
}

// change is closed at the next acknowledgement.
func (s *source) change() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// counting counts how often the producer's loop turned.
type counting struct {
	*source
	n atomic.Int64
}

func (c *counting) Ready() <-chan struct{} {
	c.n.Add(1)
	return c.source.Ready()
}

func (c *counting) waits() int { return int(c.n.Load()) }
