package pipeline

import (
	"sync"
	"time"

	"github.com/outbox-relay/outbox-relay/replication"
)

// Phase is what a relay is doing.
type Phase string

// The phases, in the order in which a start goes through them.
const (
	PhaseConnecting     Phase = "connecting"
	PhaseWaitingForSlot Phase = "waiting_for_slot"
	PhaseSnapshot       Phase = "snapshot"
	PhaseStreaming      Phase = "streaming"
	PhaseBackingOff     Phase = "backing_off"
	PhaseStopping       Phase = "stopping"
)

// phases lists them all, for the metric.
var phases = []Phase{PhaseConnecting, PhaseWaitingForSlot, PhaseSnapshot, PhaseStreaming, PhaseBackingOff, PhaseStopping}

// state is what other goroutines may ask about the session.
type state struct {
	mu        sync.Mutex
	phase     Phase
	since     time.Time
	stream    *replication.Stream // nil unless streaming
	flow      *flow               // of the latest session
	live      bool                // that session goes on
	streamed  time.Duration       // how long the latest session lasted
	lastError string
	errorAt   time.Time
	holderPID int32
	holderApp string
}

func (s *state) set(p Phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase != p {
		s.phase, s.since = p, time.Now()
	}
}

func (s *state) holder(pid int32, application string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holderPID, s.holderApp = pid, application
}

func (s *state) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastError, s.errorAt = err.Error(), time.Now()
}

func (s *state) streaming(stream *replication.Stream, f *flow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase, s.since = PhaseStreaming, time.Now()
	s.stream, s.flow, s.live = stream, f, true
	s.holderPID, s.holderApp = 0, ""
}

func (s *state) snapshot(f *flow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase, s.since = PhaseSnapshot, time.Now()
	s.flow, s.live = f, true
	s.holderPID, s.holderApp = 0, ""
}

func (s *state) ended() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream, s.live = nil, false
	s.streamed = time.Since(s.since)
}

func (s *state) streamedFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streamed
}

// liveFlow is the flow of the session that goes on, or nil.
func (s *state) liveFlow() *flow {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live {
		return nil
	}
	return s.flow
}

// view is a copy of the state at one moment.
type view struct {
	phase        Phase
	since        time.Time
	streaming    bool
	lastReceived time.Time
	position     replication.Position
	load         load
	confirmed    uint64
	lastError    string
	errorAt      time.Time
	holderPID    int32
	holderApp    string
}

func (s *state) view() view {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := view{
		phase: s.phase, since: s.since, lastError: s.lastError, errorAt: s.errorAt,
		holderPID: s.holderPID, holderApp: s.holderApp,
	}
	if s.flow != nil {
		v.confirmed = s.flow.confirmed.Load()
	}
	if s.live {
		v.load = s.flow.load()
	}
	if s.stream != nil {
		v.streaming, v.lastReceived, v.position = true, s.stream.LastReceived(), s.stream.Position()
	}
	return v
}
