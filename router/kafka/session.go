package kafka

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

const (
	takeAtOnce = 1024            // messages in one Take
	idleCheck  = 5 * time.Second // an idle producer asks the cluster this often whether it is there
	patience   = 4 * time.Second // without any answer, until the cluster counts as gone
)

// session is one Run: one producer id at a time, and all that is not yet
// acknowledged. Run's goroutine owns it and everything below it; the senders and
// control talk to it through channels.
//
// Invariants that, if broken, lose or reorder records:
//   - A partition has at most one batch, in flight or waiting to be repeated; no
//     later record of it is cut before that one is decided.
//   - Within one producer id, a sequence number of a partition always means the
//     same record (see identity). So topics are never forgotten within a session.
//   - Source.Acked is called in ack alone, and ack only for a positive answer
//     about that very batch.
type session struct {
	*Producer
	src     Source
	mail    *mailbox
	senders sync.WaitGroup

	jobs    chan job
	results chan result
	asker   sync.WaitGroup // control's goroutine

	topics  map[string]*topic
	last    *topic // of the message before: most often this one's too
	timers  timers
	lookups []*topic // whose partitions are asked for

	who     identity
	rebuild string // why the identity is to be replaced; empty if it is not

	asking      bool      // a job is under way
	askedAt     time.Time // since when
	silent      bool      // for so long that it counts as a failure
	askAt       time.Time // no job before
	askAttempts int       // that failed, in a row
	askFailing  bool      // the mark for trouble

	askFailingSince time.Time // zero while it does not fail

	idleAt         time.Time // when to ask though nothing is wanted
	refreshAt      time.Time // when all topics' leaders are asked for again
	controllerAddr string
	trouble        trouble

	gather   gather
	ord      uint64 // of the newest message taken
	lastAck  time.Time
	held     int  // messages taken and not acknowledged
	buried   int  // of those, dead letters
	moreLeft bool // the last Take filled its buffer
	closed   bool // the Source
	poison   *RecordError
	fatal    error

	batchCap int // bytes, of messages
	takeBuf  []*Message
	doneBuf  []*Message
	mailBuf  []answer
	reported Status // the counts last published
}

func newSession(p *Producer, src Source) *session {
	s := &session{
		Producer: p,
		src:      src,
		mail:     newMailbox(),
		jobs:     make(chan job, 1),
		results:  make(chan result, 1),
		topics:   make(map[string]*topic),
		who:      identity{id: noID},
		moreLeft: true,
		batchCap: max(1, min(p.cfg.BatchSize, p.requestCap())-batchOverhead),
		takeBuf:  make([]*Message, 0, takeAtOnce),
		trouble:  trouble{log: p.log, obs: p.obs, status: &p.status},

		refreshAt: time.Now().Add(p.cfg.MetadataMaxAge),
	}
	p.control.resume()
	s.asker.Go(func() { p.control.run(s.jobs, s.results) })
	if d := &p.cfg.DeadLetters; d.enabled() {
		t := s.topicOf(d.Topic)
		t.eager = true
		s.want(t, time.Now())
	}
	return s
}

// requestCap is how many bytes a request holds unless one record is larger. What
// is in flight is held three times over (messages, encoded batches, request), and
// more than this made nothing faster: on loopback, 256 KiB to 1 MiB cost the same
// CPU, 1 MiB 7 MB more of peak memory than 512 KiB.
func (p *Producer) requestCap() int {
	return min(p.cfg.MaxRequestSize, max(p.cfg.BatchSize, DefaultBatchSize))
}

// run is the loop of Producer.Run.
func (s *session) run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := time.Now()
		s.readMail(now)
		if ctx.Err() != nil {
			return s.stop(context.Cause(ctx))
		}
		s.expire(now)
		s.listen(now)
		if !s.gather.rests(now) {
			s.take(now)
			s.dispatch(now)
		}
		s.ask(now)
		s.report()
		if err, finished := s.finished(); finished {
			return s.stop(err)
		}
		if !s.moreLeft || s.gather.rests(now) {
			timer.Reset(time.Until(s.wake(now)))
			s.wait(ctx, timer.C)
		} else {
			s.poll()
		}
	}
}

// wait blocks until there is something to do.
func (s *session) wait(ctx context.Context, timer <-chan time.Time) {
	var sourceReady <-chan struct{}
	if s.taking() && !s.gather.rests(time.Now()) {
		sourceReady = s.src.Ready()
	}
	select {
	case <-ctx.Done():
	case <-sourceReady:
		s.moreLeft = true
	case <-s.mail.filled:
	case r := <-s.results:
		s.answered(r, time.Now())
	case <-timer:
	}
}

// poll looks for an answer from control without blocking; mail is read anyway.
func (s *session) poll() {
	select {
	case r := <-s.results:
		s.answered(r, time.Now())
	default:
	}
}

// taking answers whether more messages are wanted.
func (s *session) taking() bool {
	return !s.closed && s.poison == nil && s.fatal == nil && s.buried < maxBuried
}

// finished answers whether the session has come to an end, and with what result.
func (s *session) finished() (error, bool) {
	switch {
	case s.fatal != nil:
		return s.fatal, true
	case s.held > 0:
		return nil, false
	case s.poison != nil:
		return s.poison, true
	}
	return nil, s.closed
}

// report publishes the counts when they have changed.
func (s *session) report() {
	r := Status{InFlight: s.inFlight()}
	for _, n := range s.nodes {
		if n.busy {
			r.Requests++
			r.InFlightBytes += n.request.bytes
			if r.OldestRequest.IsZero() || n.sentAt.Before(r.OldestRequest) {
				r.OldestRequest = n.sentAt
			}
		}
	}
	r.Queued = s.held - r.InFlight
	if r == s.reported {
		return
	}
	s.reported = r
	s.status.update(func(st *Status) {
		st.Requests, st.InFlight, st.InFlightBytes, st.Queued = r.Requests, r.InFlight, r.InFlightBytes, r.Queued
		st.OldestRequest = r.OldestRequest
	})
}

// end leaves no goroutine of ours behind.
func (s *session) end() {
	if s.asking {
		s.control.stop()
	}
	close(s.jobs)
	s.asker.Wait()
	for _, n := range s.nodes {
		n.waiting = nil
		if n.link != nil && n.link.running() {
			n.link.stop()
			if n.link.discard {
				n.link = nil
			}
		}
	}
	s.senders.Wait()
	for _, n := range s.nodes {
		n.request.release()
	}
	s.status.update(func(st *Status) {
		st.RetryingSince, st.Failures = time.Time{}, 0
		st.Requests, st.InFlight, st.InFlightBytes, st.Queued = 0, 0, 0, 0
		st.OldestRequest = time.Time{}
	})
}

// lose ends the session for a reason that a new start can mend.
func (s *session) lose(format string, args ...any) {
	if s.fatal == nil {
		s.fatal = fmt.Errorf(format, args...)
	}
}

// noLimit stands for any number of records in a batch.
const noLimit = math.MaxInt
