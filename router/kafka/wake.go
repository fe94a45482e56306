package kafka

import "time"

// wake is when the loop has something to do though nothing happens.
func (s *session) wake(now time.Time) time.Time {
	at := s.idleAt
	if s.asking {
		at = now.Add(time.Hour) // the answer wakes the loop
		if !s.silent {
			at = s.askedAt.Add(patience)
		}
	}
	sooner := func(t time.Time) {
		if t.Before(at) {
			at = t
		}
	}
	if s.gather.rests(now) {
		sooner(s.gather.until)
	}
	if len(s.timers) > 0 {
		sooner(s.timers[0].due)
	}
	for _, n := range s.nodes {
		if !n.busy && now.Before(n.notBefore) && len(n.waiting) > 0 {
			sooner(n.notBefore)
		}
	}
	if s.asking {
		return at
	}
	for _, t := range s.lookups {
		sooner(later(t.lookupAt, s.askAt))
	}
	if s.needsID() {
		sooner(s.askAt)
	}
	return at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
