package kafka

import (
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

// poisoned notes a record that can never be accepted: it goes to the dead-letter
// topic if there is one. Otherwise what the Source gave after it is dropped, but for
// batches already cut. What was given before it is still sent: a relay that is
// started again and again over the same record must not send the rest anew each
// time, nor hold back what came before. Of several such records the one given first
// counts. err.Message is in no queue any more, and not held.
func (s *session) poisoned(err *RecordError) {
	first := s.poison == nil || err.Message.ord < s.poison.Message.ord
	if first && s.tolerates(err) {
		s.bury(err)
		return
	}
	if first {
		s.poison = err
	}
	for _, t := range s.topics {
		t.waiting.keepBefore(s.poison.Message.ord, s.unhold)
		for _, p := range t.partitions {
			s.dropPoisoned(p)
		}
	}
}

// dropPoisoned drops what may not be sent any more because it was given after
// the poison.
func (s *session) dropPoisoned(p *partition) {
	if s.poison == nil {
		return
	}
	p.queue.keepBefore(s.poison.Message.ord, s.unhold)
	s.settleIfEmpty(p)
}

// settleIfEmpty takes a partition that has lost all its messages out of the
// timers.
func (s *session) settleIfEmpty(p *partition) {
	if p.batch.n+p.queue.n == 0 && p.place != inFlight {
		s.timers.remove(p)
		p.place = nowhere
		s.trouble.clear(&p.failing, time.Now())
	}
}

// refusal is one record of a batch that the broker refused for its sake.
type refusal struct {
	at     int // its place in the batch
	detail string
}

// refuse takes records out of a decided batch, which are given in the order of
// their places, and queues the others again in their order. Without a dead-letter
// topic only the first counts: it ends the session, and what stands behind it is
// not sent.
func (s *session) refuse(p *partition, reason string, wrong ...refusal) {
	if p.doubtful {
		s.renew(refusedInDoubt)
	}
	p.uncut()
	if !s.tolerates(&RecordError{Topic: p.topic.name}) {
		wrong = wrong[:1]
	}
	var good queue
	bad, at := make([]*Message, 0, len(wrong)), 0
	for _, w := range wrong {
		for ; at < w.at; at++ {
			good.push(p.queue.pop())
		}
		bad = append(bad, p.queue.pop())
		at++
	}
	p.queue.prepend(&good)
	p.maxCount, p.searched = 0, 0
	p.renewed()
	for i, m := range bad {
		s.refused(m, p.topic, p, reason, wrong[i].detail)
	}
	s.settleIfEmpty(p)
}

// refuseBatch does the same for all records of the batch.
func (s *session) refuseBatch(p *partition, reason, detail string) {
	all := make([]refusal, p.batch.n)
	for i := range all {
		all[i] = refusal{i, detail}
	}
	s.refuse(p, reason, all...)
}

// refusedInDoubt is why a producer id is replaced when a record is given up that
// an earlier attempt may have appended: the log may hold more than the sequence
// numbers that would be used again say, and a later batch under the same numbers
// would be taken for a repeat, and lost.
const refusedInDoubt = "REFUSED_IN_DOUBT"

// refused gives up one message, which is in no queue any more. p is nil if no
// partition was asked for it.
func (s *session) refused(m *Message, t *topic, p *partition, reason, detail string) {
	s.unhold(m)
	e := &RecordError{
		Message: m, Topic: t.name, Partition: -1, Reason: reason, Detail: detail, Hint: s.wayOut(t.name, reason), from: p,
	}
	if p != nil {
		e.Partition = p.id
	}
	s.poisoned(e)
}

// refuseTopic gives up the messages of a topic that takes none: all of them if they
// go aside, otherwise the oldest of each queue. Batches in flight are left to their
// answers. More messages of the topic ask again, after a pause.
func (s *session) refuseTopic(t *topic, reason, detail string) {
	t.attempts, t.lookupAt = 0, time.Now().Add(s.cfg.RetryBackoff)
	if t.eager && t.held() == 0 {
		s.refuseDeadLetters(reason, detail)
		return
	}
	aside := s.tolerates(&RecordError{Topic: t.name})
	for _, p := range t.partitions {
		if p.place == inFlight {
			continue
		}
		if p.doubtful && p.batch.n > 0 {
			s.renew(refusedInDoubt)
		}
		p.uncut()
		p.renewed()
		for more := true; more && p.queue.n > 0; more = aside {
			s.refused(p.queue.pop(), t, p, reason, detail)
		}
		s.settleIfEmpty(p)
	}
	for more := true; more && t.waiting.n > 0; more = aside {
		s.refused(t.waiting.pop(), t, nil, reason, detail)
	}
	s.trouble.clear(&t.failing, time.Now()) // nothing waits for it any more
}

// refuseDeadLetters ends a session that has just begun because its dead-letter topic
// cannot be used: better now than when the first dead letter comes.
func (s *session) refuseDeadLetters(reason, detail string) {
	topic := s.cfg.DeadLetters.Topic
	s.fatal = &ConfigError{
		Option: "errors.deadletterqueue.topic.name",
		Err:    fmt.Errorf("topic %q cannot be used: %s: %s; %s", topic, reason, detail, s.wayOut(topic, reason)),
	}
}

// wayOut is what an operator can do about a refusal.
func (s *session) wayOut(topic, reason string) string {
	server := s.cfg.BootstrapServers[0]
	switch reason {
	case ReasonNoTopic:
		return fmt.Sprintf("create it: kafka-topics --bootstrap-server %s --create --topic %s; or set topic.creation.enable=true", server, topic)
	case codeName(sarama.ErrMessageSizeTooLarge), codeName(sarama.ErrMessageSetSizeTooLarge):
		return fmt.Sprintf("raise the topic's limit: kafka-configs --bootstrap-server %s --alter --entity-type topics --entity-name %s --add-config max.message.bytes=N", server, topic)
	case codeName(sarama.ErrTopicAuthorizationFailed):
		return fmt.Sprintf("grant the rights: kafka-acls --bootstrap-server %s --add --allow-principal User:NAME --operation Write --operation Describe --topic %s", server, topic)
	case codeName(sarama.ErrClusterAuthorizationFailed):
		return fmt.Sprintf("create topic %s by hand or grant Create on the cluster", topic)
	case codeName(sarama.ErrInvalidTopic):
		return "correct the value that the topic is made of, or its routing"
	case codeName(sarama.ErrInvalidPartitions):
		return "set topic.creation.default.partitions to a positive number"
	case codeName(sarama.ErrInvalidTimestamp):
		return "see message.timestamp.before.max.ms and message.timestamp.after.max.ms of the topic"
	case codeName(sarama.ErrInvalidRecord), codeName(sarama.ErrInvalidMessage):
		return "a topic with cleanup.policy=compact refuses records without a key; else the broker's log says what is wrong"
	}
	return "the broker's log says more"
}
