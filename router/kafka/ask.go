package kafka

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/IBM/sarama"
)

var errSilent = fmt.Errorf("no broker has answered for %v (it hangs, is cut off, or its listener has another security.protocol): %w", patience, os.ErrDeadlineExceeded)

// ask gives control its next job, the most urgent first.
func (s *session) ask(now time.Time) {
	if s.asking || now.Before(s.askAt) {
		return
	}
	j, ok := s.nextJob(now)
	if !ok {
		return
	}
	for _, n := range s.nodes {
		if n.listed {
			j.brokers = append(j.brokers, n.addr)
		}
	}
	s.asking, s.askedAt, s.silent = true, now, false
	s.idleAt = now.Add(idleCheck)
	s.jobs <- j
}

func (s *session) nextJob(now time.Time) (job, bool) {
	if s.needsID() {
		return job{kind: initID}, true
	}
	var names []string
	for _, t := range s.lookups {
		if now.Before(t.lookupAt) {
			continue
		}
		if t.create {
			return job{kind: creation, topics: []string{t.name}, detail: s.detailFor(t), controller: s.controllerAddr}, true
		}
		names = append(names, t.name)
	}
	if len(names) > 0 {
		return job{kind: lookup, topics: names}, true
	}
	if now.Before(s.idleAt) && now.Before(s.refreshAt) {
		return job{}, false
	}
	s.refreshAt = now.Add(s.cfg.MetadataMaxAge)
	for name, t := range s.topics {
		if len(t.partitions) > 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return job{kind: ping}, true
	}
	return job{kind: lookup, topics: names}, true
}

// busy answers whether any request is in flight.
func (s *session) busy() bool {
	return slices.ContainsFunc(s.nodes, func(n *node) bool { return n.busy })
}

// listen notes that a question has gone unanswered for long, before the
// connection's own timeout does: a broker that hangs says nothing at all. Records
// that were acknowledged meanwhile prove that it is another broker's trouble.
func (s *session) listen(now time.Time) {
	if !s.asking || s.silent || now.Sub(s.askedAt) < patience {
		return
	}
	s.silent = true
	if s.lastAck.After(s.askedAt) {
		return
	}
	s.status.update(func(st *Status) { st.Connected = false })
	s.trouble.raise(&s.askFailing, now, where{partition: -1}, errSilent)
}

// answered takes in what control found out.
func (s *session) answered(r result, now time.Time) {
	s.asking = false
	if r.err != nil {
		s.unreachable(r.err, now)
		return
	}
	s.connected = true
	s.status.update(func(st *Status) { st.Connected = true })
	if r.job.kind == initID && r.code != sarama.ErrNoError {
		s.unidentified(r.code, now)
		return
	}
	s.askAttempts, s.askFailingSince = 0, time.Time{}
	s.trouble.clear(&s.askFailing, now)
	switch r.job.kind {
	case initID:
		s.askAt = now.Add(r.throttle)
		s.identified(r.id)
	case lookup:
		s.askAt = now.Add(r.throttle)
		s.lookedUp(r.job, r.metadata, now)
	case creation: // its throttling is for creations only
		s.created(s.topics[r.job.topics[0]], r, now)
	}
}

// unreachable means that no broker answered. Credentials and certificates that
// never worked are reported; ones that did may just be in rotation.
func (s *session) unreachable(err error, now time.Time) {
	s.status.update(func(st *Status) { st.Connected = false })
	var config *ConfigError
	if errors.As(err, &config) && !s.connected {
		s.fatal = config
		return
	}
	s.askFailed(fmt.Errorf("reach Kafka: %w", err), now)
}

func (s *session) askFailed(err error, now time.Time) {
	s.askAttempts++
	s.askAt = now.Add(s.cfg.backoff(s.askAttempts))
	s.idleAt = s.askAt // keep asking, though nothing else may want it
	if s.askFailingSince.IsZero() {
		s.askFailingSince = now
	}
	s.trouble.raise(&s.askFailing, now, where{partition: -1}, err)
	if s.cfg.worn(s.askFailingSince, now) {
		s.wear(fmt.Errorf("%s: %w", s.wornDetail(s.askFailingSince, now), err))
	}
}
