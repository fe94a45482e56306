package kafka

import (
	"fmt"
	"time"
)

// topic is what a session knows of one topic. It is never forgotten while the
// session lasts, because its partitions hold the sequence numbers.
type topic struct {
	name       string
	partitions []*partition
	usable     bool  // partitions are known, and not in doubt
	waiting    queue // messages that came while it was not
	sticky     int32 // where records without a key go, -1 to be chosen
	maxBatch   int   // bytes; less than the configured size once the broker refused more

	wanted       bool      // in the session's list of lookups
	lookupAt     time.Time // not before
	attempts     int       // lookups without the wanted result
	missingSince time.Time // zero while the topic exists
	create       bool      // is to be created
	plain        bool      // without options, which the brokers refused
	eager        bool      // looked up, and made, though nothing waits for it: the dead-letter topic
	failing      bool      // the mark for trouble
	failingSince time.Time // zero while it does not fail
}

// partition is the session's end of one partition.
type partition struct {
	topic  *topic
	id     int32
	leader *node // nil while there is none

	queue queue // not yet cut into a batch
	// batch is what is in flight or has to be sent again before anything else: it
	// keeps its records and its sequence number until the broker has decided.
	batch   queue
	baseSeq int32 // of batch
	nextSeq int32 // of the next batch

	place    place
	due      time.Time // while place is timed
	heapAt   int       // index in timers, likewise
	lingerAt time.Time // when the queue may be sent though it is not full
	retryAt  time.Time
	attempts int  // failures of the batch in a row
	damaged  int  // of those, that it arrived damaged
	failing  bool // the mark for trouble
	doubtful bool // an earlier attempt may have appended the batch

	failingSince time.Time // since when the batch has failed

	buried int // dead letters that are to be acknowledged before anything else is sent

	maxCount int // records in a batch while a poisonous one is searched; 0 is no limit
	searched int // records yet to be tried under that limit
}

// place says where a partition waits. It is in one place at a time, so that no
// second batch can leave while one is in flight.
type place int

const (
	nowhere place = iota // nothing to send, or no leader
	timed                // in timers, until due
	ready                // in its leader's list
	inFlight
)

func newTopic(name string, maxBatch int) *topic {
	return &topic{name: name, sticky: -1, maxBatch: maxBatch}
}

// held is the number of messages in all of the topic's queues.
func (t *topic) held() int {
	n := t.waiting.n
	for _, p := range t.partitions {
		n += p.batch.n + p.queue.n
	}
	return n
}

// needed answers whether anything waits for the topic's partitions.
func (t *topic) needed() bool { return t.eager || t.held() > 0 }

// renewed forgets how often a batch has failed that is not to be sent as it was.
func (p *partition) renewed() {
	p.attempts, p.damaged, p.retryAt, p.failingSince = 0, 0, time.Time{}, time.Time{}
}

// leaderless answers whether messages wait for a partition without a leader.
func (t *topic) leaderless() bool {
	for _, p := range t.partitions {
		if p.leader == nil && p.batch.n+p.queue.n > 0 {
			return true
		}
	}
	return false
}

// checkTopicName refuses what Kafka would, before such a name gets into a request
// together with others.
func checkTopicName(name string) error {
	const longest = 249
	switch {
	case name == "":
		return fmt.Errorf("the topic name is empty")
	case name == "." || name == "..":
		return fmt.Errorf("the topic name is %q", name)
	case len(name) > longest:
		return fmt.Errorf("the topic name has %d characters, at most %d are allowed", len(name), longest)
	}
	for _, c := range name {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return fmt.Errorf("the topic name holds %q; allowed are letters a to z, digits, '.', '_' and '-'", c)
		}
	}
	return nil
}
