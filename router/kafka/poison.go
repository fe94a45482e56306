package kafka

import (
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

// poisoned notes a record that can never be accepted and drops what the Source
// gave after it, but for batches already cut. What was given before it is still
// sent: a relay that is started again and again over the same record must not
// send the rest anew each time, nor hold back what came before. Of several
// such records the one given first counts. err.Message is in no queue any more.
func (s *session) poisoned(err *RecordError) {
	if s.poison == nil || err.Message.ord < s.poison.Message.ord {
		s.poison = err
	}
	for _, t := range s.topics {
		s.held -= t.waiting.keepBefore(s.poison.Message.ord)
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
	s.held -= p.queue.keepBefore(s.poison.Message.ord)
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

// refuse makes the first message of a decided batch the poison, after the n
// messages before it, which are queued again.
func (s *session) refuse(p *partition, n int, reason, detail string) {
	p.uncut()
	var good queue
	for range n {
		good.push(p.queue.pop())
	}
	m := p.queue.pop()
	s.held--
	p.queue.prepend(&good)
	p.maxCount, p.searched = 0, 0
	s.poisoned(&RecordError{
		Message: m, Topic: p.topic.name, Partition: p.id,
		Reason: reason, Detail: detail, Hint: s.wayOut(p.topic.name, reason),
	})
	s.settleIfEmpty(p)
}

// refuseTopic does the same for the oldest message of the topic, whichever queue
// it is in. Batches in flight are left to their answers.
func (s *session) refuseTopic(t *topic, reason, detail string) {
	for _, p := range t.partitions {
		if p.place == inFlight {
			continue
		}
		p.uncut()
		if p.queue.n > 0 {
			s.refuse(p, 0, reason, detail)
		}
	}
	if t.waiting.n > 0 {
		m := t.waiting.pop()
		s.held--
		s.poisoned(&RecordError{
			Message: m, Topic: t.name, Partition: -1,
			Reason: reason, Detail: detail, Hint: s.wayOut(t.name, reason),
		})
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
	case codeName(sarama.ErrInvalidPartitions):
		return "set topic.creation.default.partitions to a positive number"
	case codeName(sarama.ErrInvalidTimestamp):
		return "see message.timestamp.before.max.ms and message.timestamp.after.max.ms of the topic"
	case codeName(sarama.ErrInvalidRecord):
		return "a topic with cleanup.policy=compact refuses records without a key; else the broker's log says what is wrong"
	}
	return "the broker's log says more"
}
