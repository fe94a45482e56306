package kafka

import (
	"time"
)

// stop ends the session: nothing new is sent, answers to what is in flight are
// awaited for a while and reported if positive, and what is left then is cut
// off, undecided. It returns err, the reason to stop.
//
// A relay that lost its slot to another must fall silent at once, or its records
// would land behind newer ones of the same key: so a request that waits for its
// connection is not written any more.
func (s *session) stop(err error) error {
	for _, n := range s.nodes {
		if n.busy {
			n.link.halt()
		}
	}
	timer := time.NewTimer(s.cfg.AbandonTimeout)
	defer timer.Stop()
	for s.busy() {
		select {
		case <-s.mail.filled:
			for _, a := range s.mail.take(nil) {
				s.receivedLate(a)
			}
		case <-timer.C:
			s.abandon()
		}
	}
	return err
}

// receivedLate reports the batches that the broker has taken and leaves the
// others to the next Run.
func (s *session) receivedLate(a answer) {
	n := a.node
	n.busy = false
	if a.err != nil {
		s.dropLink(n)
	}
	for _, p := range n.request.parts {
		p.place = nowhere
		if a.resp == nil {
			continue
		}
		if block := a.resp.GetBlock(p.topic.name, p.id); block != nil && classify(block.Err) == accepted {
			s.ack(p, time.Now())
		}
	}
	n.request.release()
}

// abandon cuts the connections of what is still unanswered.
func (s *session) abandon() {
	for _, n := range s.nodes {
		if n.busy {
			s.dropLink(n) // its request stays as it is: the sender may be reading it
			n.busy = false
		}
	}
	s.log.Warn().Stringer("after", s.cfg.AbandonTimeout).Msg("stopped waiting for Kafka's answers, records in flight may be sent again")
}
