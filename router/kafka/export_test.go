package kafka

import (
	"time"

	"github.com/IBM/sarama"
	"github.com/rs/zerolog"
)

// What tests see of the inside.

type (
	Class    = class
	Identity = identity
)

const (
	Retriable     = retriable
	Accepted      = accepted
	LostProducer  = lostProducer
	TooLarge      = tooLarge
	Poison        = poison
	Suspect       = suspect
	TopicRefused  = topicRefused
	Misconfigured = misconfigured

	MaxTimestamp = maxTimestamp
)

var (
	Murmur2        = murmur2
	PartitionOf    = partitionOf
	Advance        = advance
	Classify       = classify
	Stale          = stale
	CodeName       = codeName
	CodeNames      = codeNames
	ReasonOf       = reasonOf
	RecordSize     = recordSize
	CheckTopicName = checkTopicName
)

// Pause is the backoff before repeat n.
func (c Config) Pause(n int) time.Duration {
	c = c.withDefaults()
	return c.backoff(n)
}

// Builder takes messages of one topic through everything that happens to them on
// Run's goroutine before they are sent: routing, cutting, building.
type Builder struct {
	s *session
	t *topic
	n *node
}

func NewBuilder(cfg Config, name string, partitions int) *Builder {
	p := &Producer{cfg: cfg.withDefaults(), log: zerolog.Nop(), obs: nopObserver{}}
	b := &Builder{
		s: &session{Producer: p, topics: map[string]*topic{}, batchCap: p.requestCap() - batchOverhead},
		n: &node{id: 1, addr: "127.0.0.1:1"},
	}
	p.nodes = []*node{b.n}
	b.t = b.s.topicOf(name)
	b.t.usable = true
	for id := range partitions {
		b.t.partitions = append(b.t.partitions, &partition{topic: b.t, id: int32(id), leader: b.n})
	}
	return b
}

// Cut routes the messages, builds one request of them and takes it as answered.
// It returns how many records the request held.
func (b *Builder) Cut(messages []*Message) int {
	now := time.Time{}
	for _, m := range messages {
		b.s.accept(m, now)
	}
	r := &b.n.request
	for p := b.n.first(); p != nil && b.s.cut(p, r, b.s.requestCap(), now); p = b.n.first() {
		b.n.shift()
		r.add(p)
		p.place = nowhere
	}
	records := r.records
	r.produce(identity{}, &b.s.cfg, sarama.CompressionNone, time.Second)
	for _, p := range r.parts {
		p.batch = queue{}
	}
	r.release()
	return records
}

// Queue drives a queue by numbers.
type Queue struct{ q queue }

func (q *Queue) Push(ord uint64, size int32) {
	q.q.push(&Message{queued: queued{ord: ord, size: size}})
}

func (q *Queue) Pop() uint64 { return q.q.pop().ord }

func (q *Queue) Prepend(front *Queue) { q.q.prepend(&front.q) }

func (q *Queue) KeepBefore(ord uint64) (dropped int) {
	q.q.keepBefore(ord, func(*Message) { dropped++ })
	return dropped
}

func (q *Queue) Count() (n, bytes int) { return q.q.n, q.q.bytes }
