package kafka

import (
	"errors"
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

// WornError says that what may pass has failed for longer than Config.RetryTimeout.
// Nothing was refused: a new start may go on.
type WornError struct{ Err error }

func (e *WornError) Error() string { return e.Err.Error() }

// Unwrap returns the last failure.
func (e *WornError) Unwrap() error { return e.Err }

// wear ends the session with a WornError, unless it is ending already.
func (s *session) wear(err error) {
	if s.fatal == nil {
		s.fatal = &WornError{err}
	}
}

// worn answers whether something has failed for longer than errors.retry.timeout
// allows. Without that, nothing ever has.
func (c *Config) worn(since, now time.Time) bool {
	return c.RetryTimeout > 0 && !since.IsZero() && now.Sub(since) >= c.RetryTimeout
}

// giveUp ends the repeats of a partition's batch. Where refused records go aside
// and a broker has answered, so that others may still be accepted, these do;
// otherwise the session ends, for a new start to go on.
func (s *session) giveUp(p *partition, err error, now time.Time) {
	detail := s.wornDetail(p.failingSince, now)
	if !s.answeredBy(err) || !s.tolerates(&RecordError{Topic: p.topic.name}) {
		m := p.batch.head
		s.wear(fmt.Errorf("send to topic %q partition %d, first id %q, transaction at LSN %X/%X: %s: %w",
			p.topic.name, p.id, headerID(m), m.LSN>>32, uint32(m.LSN), detail, err))
		return
	}
	s.refuseBatch(p, reasonOf(err), detail+": "+err.Error())
	s.schedule(p, now)
}

// giveTopicUp does the same for a topic whose partitions cannot be found out.
func (s *session) giveTopicUp(t *topic, err error, now time.Time) {
	detail := s.wornDetail(t.failingSince, now)
	t.failingSince = time.Time{}
	if !s.answeredBy(err) || !s.tolerates(&RecordError{Topic: t.name}) {
		s.wear(fmt.Errorf("look up topic %q: %s: %w", t.name, detail, err))
		return
	}
	s.refuseTopic(t, reasonOf(err), detail+": "+err.Error())
}

func (s *session) wornDetail(since, now time.Time) string {
	return fmt.Sprintf("it has failed for %v, errors.retry.timeout is %v", now.Sub(since).Round(time.Millisecond), s.cfg.RetryTimeout)
}

// answeredBy answers whether an error is a broker's answer.
func (s *session) answeredBy(err error) bool {
	var code sarama.KError
	return errors.As(err, &code)
}
