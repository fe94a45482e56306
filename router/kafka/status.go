package kafka

import (
	"sync"
	"time"
)

// Status is what a Producer was last known to do.
type Status struct {
	Connected     bool      // the last question to the cluster was answered; asked every few seconds when idle
	LastAck       time.Time // of the last record that was acknowledged; zero if none was
	RetryingSince time.Time // since when something has been retried without success; zero when all is well
	LastError     string    // of the last failure, kept after recovery; empty if there was none
	Failures      int       // in a row since RetryingSince, of all that is retried

	Requests      int // in flight, at most one a broker
	InFlight      int // records in those requests
	InFlightBytes int // their size before compression

	// OldestRequest is when the request was sent that waits longest for its answer;
	// zero if none does. One broker of several that hangs shows here alone.
	OldestRequest time.Time

	Queued int // records taken and not in flight
}

// status is the copy of Status that other goroutines read.
type status struct {
	mu  sync.Mutex
	now Status
}

func (s *status) get() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *status) update(change func(*Status)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.now)
}

func (s *status) failing(since time.Time, failures int, err error) {
	text := err.Error()
	s.update(func(now *Status) { now.RetryingSince, now.Failures, now.LastError = since, failures, text })
}

func (s *status) fine() {
	s.update(func(now *Status) { now.RetryingSince, now.Failures = time.Time{}, 0 })
}
