package pipeline

import (
	"unsafe"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

const (
	blockBytes   = 64 << 10
	blockRecords = 256
)

// block is memory for records on their way: the reader copies rows into it, the
// producer sends from it, and it is used again once all of its records are
// acknowledged. A record never moves, so a pointer to it stays good.
//
// The reader alone writes to the parts beyond published; the flow's lock covers
// the counters.
type block struct {
	bytes    []byte
	headers  []router.Header
	messages []kafka.Message // full length; how many are in use is counted apart

	used      int // by the reader
	published int // visible to the producer
	taken     int // given to the producer
	unacked   int // published and not acknowledged
	sealed    bool
	at        int // its place in the flow's list
}

func newBlock(size int) *block {
	return &block{bytes: make([]byte, 0, size), messages: make([]kafka.Message, blockRecords), headers: make([]router.Header, 0, blockRecords)}
}

// blockCost is the memory of a block whose buffer holds size bytes.
func blockCost(size int) int {
	return size + blockRecords*int(unsafe.Sizeof(kafka.Message{})+unsafe.Sizeof(router.Header{}))
}

// fits reports whether a record can be added without moving what is there.
func (b *block) fits(rec *router.Record, size int) bool {
	return b.used < len(b.messages) &&
		len(b.bytes)+size <= cap(b.bytes) &&
		len(b.headers)+len(rec.Headers) <= cap(b.headers)
}

// add copies a record that fits and returns its message.
func (b *block) add(rec *router.Record) *kafka.Message {
	m := &b.messages[b.used]
	b.used++
	m.Topic, m.Partition, m.Timestamp = rec.Topic, rec.Partition, rec.Timestamp
	m.Key, m.Value = b.copy(rec.Key), b.copy(rec.Value)
	first := len(b.headers)
	for _, h := range rec.Headers {
		b.headers = append(b.headers, router.Header{Key: h.Key, Value: b.copy(h.Value)})
	}
	m.Headers = b.headers[first:len(b.headers):len(b.headers)]
	m.Owner, m.Kind, m.Refused = b, noKind, nil
	return m
}

// copy keeps the difference between nil and empty: a null is not an empty value.
func (b *block) copy(p []byte) []byte {
	if p == nil {
		return nil
	}
	first := len(b.bytes)
	b.bytes = append(b.bytes, p...)
	return b.bytes[first:len(b.bytes):len(b.bytes)]
}

func (b *block) reset() {
	b.bytes, b.headers = b.bytes[:0], b.headers[:0]
	b.used, b.published, b.taken, b.unacked, b.sealed = 0, 0, 0, 0, false
}

// recordSize is what a record takes of a block, in bytes.
func recordSize(rec *router.Record) int {
	n := len(rec.Key) + len(rec.Value)
	for _, h := range rec.Headers {
		n += len(h.Value)
	}
	return n
}
