package kafka

import (
	"fmt"
	"time"

	"github.com/outbox-relay/outbox-relay/router"
)

// maxBuried is how many dead letters may wait for their acknowledgement before
// nothing more is taken: their reasons take memory that the Source does not count.
const maxBuried = 1024

// longestShown bounds what a log line shows of a key or header, in bytes.
const longestShown = 256

// burials keeps account of dead letters for the log.
type burials struct {
	count   int // since the last line
	nextLog time.Time
}

// grave is what the session knows of a dead letter.
type grave struct {
	*Refusal
	// from is the partition that refused the record; nil if none was asked. Nothing
	// more is sent there before the dead letter is acknowledged: else a record that is
	// refused now, and accepted after a crash that the dead letter did not survive,
	// would stand behind later ones of its key.
	from *partition
}

// tolerates answers whether a refused message goes aside instead of ending the
// session. What the dead-letter topic itself refuses does not.
func (s *session) tolerates(e *RecordError) bool {
	return s.cfg.DeadLetters.enabled() && e.Topic != s.cfg.DeadLetters.Topic
}

// bury queues a message that is in no queue, and was refused, for the dead-letter
// topic. It stays one message of its Source, which is told when the dead letter is
// acknowledged; other partitions do not wait.
func (s *session) bury(e *RecordError) {
	m, d, now := e.Message, &s.cfg.DeadLetters, time.Now()
	m.grave = &grave{Refusal: m.Refused, from: e.from}
	if m.Refused == nil {
		m.grave.Refusal = &Refusal{Stage: StageSend, Topic: e.Topic, Partition: e.Partition, Reason: e.Reason, Detail: e.Detail}
	}
	if e.Reason == ReasonTimestamp || m.Timestamp < 0 || m.Timestamp > maxTimestamp {
		m.Timestamp = now.UnixMilli()
	}
	size := recordSize(m) + d.contextSize(m)
	if size > maxDeadLetter {
		s.poisoned(s.unburied(m, ReasonTooLarge, fmt.Sprintf("as a dead letter it has %d bytes, at most %d can be sent", size, maxDeadLetter)))
		return
	}
	m.size = int32(size)
	s.held++
	s.buried++
	if e.from != nil {
		e.from.buried++
	}
	t := s.topicOf(d.Topic)
	if !t.usable {
		t.waiting.push(m)
		s.want(t, now)
		return
	}
	s.route(t, m, now)
}

// unburied is the error about a dead letter that is refused in its turn.
func (s *session) unburied(m *Message, reason, detail string) *RecordError {
	topic := s.cfg.DeadLetters.Topic
	return &RecordError{
		Message: m, Topic: topic, Partition: -1, Reason: reason, Detail: detail, Hint: s.wayOut(topic, reason),
	}
}

// exhumed takes acknowledged dead letters off the account and tells about them.
func (s *session) exhumed(done []*Message, partition int32, now time.Time) {
	for _, m := range done {
		if m.grave == nil {
			continue
		}
		s.leaveGrave(m, now)
		s.obs.Buried(m.grave.Reason)
		s.tellBuried(m, partition, now)
	}
	s.moreLeft = true // taking may have stopped at maxBuried
}

// leaveGrave takes a dead letter off the account, and lets its partition go on.
func (s *session) leaveGrave(m *Message, now time.Time) {
	s.buried--
	if p := m.grave.from; p != nil {
		p.buried--
		s.schedule(p, now)
	}
}

// unhold takes a message that left its queue unacknowledged off the account.
func (s *session) unhold(m *Message) {
	s.held--
	if m.grave != nil {
		s.leaveGrave(m, time.Now())
	}
}

// tellBuried logs the first dead letter at once, then one line in 30 s with how many
// there were, or every one if that is wanted.
func (s *session) tellBuried(m *Message, partition int32, now time.Time) {
	d, b := &s.cfg.DeadLetters, &s.burials
	b.count++
	if !d.LogEach && now.Before(b.nextLog) {
		return
	}
	r := m.grave
	e := s.log.Warn().Str("reason", r.Reason).Str("error", r.Detail).Str("topic", r.Topic).
		Str("id", headerID(m)).Str("lsn", fmt.Sprintf("%X/%X", m.LSN>>32, uint32(m.LSN))).
		Str("dead_letter_topic", d.Topic).Int32("dead_letter_partition", partition).Int("count", b.count)
	if d.LogRecord {
		e.Bytes("key", shown(m.Key)).Int("value_bytes", len(m.Value)).Strs("headers", shownHeaders(m.Headers))
	}
	e.Msg("event that cannot be sent is in the dead-letter topic")
	b.count, b.nextLog = 0, now.Add(repeatLogEvery)
}

func shown(b []byte) []byte { return b[:min(len(b), longestShown)] }

func shownHeaders(headers []router.Header) []string {
	out := make([]string, len(headers))
	for i, h := range headers {
		out[i] = h.Key + "=" + string(shown(h.Value))
	}
	return out
}
