package kafka

import (
	"fmt"
	"math"
	"time"
)

// NoTimestamp as a record's Timestamp stands for the time at which the producer
// takes it, as in Java. It is written into the Message, so that a repeat in a later
// Run is the same record.
const NoTimestamp = -1

// maxTimestamp, in ms, is in the year 2262: later ones do not fit in the
// nanoseconds that sarama passes times in.
const maxTimestamp = math.MaxInt64 / int64(time.Millisecond)

// take moves what the Source has into the queues.
func (s *session) take(now time.Time) {
	if !s.moreLeft || !s.taking() {
		s.moreLeft = false
		return
	}
	got := s.src.Take(s.takeBuf[:0])
	for _, m := range got {
		s.accept(m, now)
	}
	if n := len(got); n > 0 {
		s.gather.late = got[n-1].Late
	}
	s.moreLeft = len(got) == cap(s.takeBuf)
	clear(got)
	s.closed = s.src.Closed()
}

// accept queues one message, unless it can never be sent or comes after one that
// cannot.
func (s *session) accept(m *Message, now time.Time) {
	s.ord++
	m.queued = queued{ord: s.ord}
	if s.poison != nil {
		return
	}
	if r := m.Refused; r != nil {
		s.poisoned(&RecordError{Message: m, Topic: r.Topic, Partition: r.Partition, Reason: r.Reason, Detail: r.Detail})
		return
	}
	t := s.topicOf(m.Topic)
	if m.Timestamp == NoTimestamp {
		m.Timestamp = now.UnixMilli() // now and not when it is sent, so that a repeat is the same
	}
	size := recordSize(m)
	if err := s.checkLocally(m, size); err != nil {
		s.poisoned(err)
		return
	}
	m.size = int32(size)
	s.held++
	if !t.usable {
		t.waiting.push(m)
		s.want(t, now)
		return
	}
	s.route(t, m, now)
}

func (s *session) topicOf(name string) *topic {
	if s.last != nil && s.last.name == name {
		return s.last
	}
	t := s.topics[name]
	if t == nil {
		t = newTopic(name, s.batchCap)
		s.topics[name] = t
	}
	s.last = t
	return t
}

// checkLocally refuses what no broker could accept, or what would spoil requests
// that carry other records too.
func (s *session) checkLocally(m *Message, size int) *RecordError {
	refuse := func(reason, detail, hint string) *RecordError {
		return &RecordError{Message: m, Topic: m.Topic, Partition: -1, Reason: reason, Detail: detail, Hint: hint}
	}
	if err := checkTopicName(m.Topic); err != nil {
		return refuse(ReasonTopicName, err.Error(), "correct the value that the topic is made of, or its routing")
	}
	if size += batchOverhead; size > s.cfg.MaxRequestSize {
		return refuse(ReasonTooLarge,
			fmt.Sprintf("with %d bytes it is larger than max.request.size, %d", size, s.cfg.MaxRequestSize),
			"raise max.request.size here, and max.message.bytes of the topic if that is smaller")
	}
	if m.Timestamp < 0 || m.Timestamp > maxTimestamp {
		return refuse(ReasonTimestamp,
			fmt.Sprintf("timestamp %d ms is not between 1970 and 2262", m.Timestamp),
			"correct the column that the timestamp is taken from")
	}
	return nil
}

// route gives a message to its partition. The topic must be usable, but may have
// got more partitions since it was looked up: then it is looked up again.
func (s *session) route(t *topic, m *Message, now time.Time) {
	id := t.choose(m)
	if id < 0 {
		t.usable = false
		t.waiting.push(m)
		s.want(t, now)
		return
	}
	p := t.partitions[id]
	if p.queue.n == 0 {
		p.lingerAt = now.Add(s.cfg.Linger)
	}
	p.queue.push(m)
	s.schedule(p, now)
}

// routeWaiting gives the messages that waited for the topic to their partitions.
func (s *session) routeWaiting(t *topic, now time.Time) {
	for t.waiting.n > 0 {
		m := t.waiting.pop()
		if m.grave == nil && int(m.Partition) >= len(t.partitions) {
			s.unhold(m)
			s.poisoned(&RecordError{
				Message: m, Topic: t.name, Partition: m.Partition, Reason: ReasonNoPartition,
				Detail: fmt.Sprintf("the topic has partitions 0 to %d only", len(t.partitions)-1),
				Hint:   fmt.Sprintf("correct the column that the partition is taken from, or add partitions: kafka-topics --bootstrap-server %s --alter --topic %s --partitions N", s.cfg.BootstrapServers[0], t.name),
			})
			continue // without a dead-letter topic, nothing behind it is left
		}
		s.route(t, m, now)
	}
}
