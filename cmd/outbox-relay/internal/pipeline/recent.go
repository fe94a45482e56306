package pipeline

import (
	"encoding/hex"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

const (
	// recentEvents is how many events are remembered.
	recentEvents = 24
	// recentASecond bounds how many events of a second are looked at, so that a
	// million of them cost no more than a handful.
	recentASecond = 6
	// recentID is how much of an id is kept, in bytes; a UUID has 36.
	recentID = 64
)

// Event is one that the brokers have acknowledged: which it was, never what it said.
type Event struct {
	ID    string        `json:"id"`
	Topic string        `json:"topic"`
	Acked time.Time     `json:"acked"`
	Delay time.Duration `json:"delay,omitempty"` // since its commit; 0 if that is not known
}

// recent remembers a few of the latest events. What it holds is copied: the memory
// of an acknowledged record is used again.
type recent struct {
	mu     sync.Mutex
	ring   [recentEvents]remembered
	count  uint64 // remembered so far
	second int64  // of the budget, since 1970
	left   int    // of the budget
}

type remembered struct {
	topic     string
	id        [recentID]byte
	length    int
	acked     int64 // microseconds since 1970, as the next
	committed int64 // 0 if it is not known
}

// note remembers the last of the messages, as far as this second's budget goes. It
// allocates nothing. now is in microseconds since 1970.
func (r *recent) note(now int64, done []*kafka.Message) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if second := now / 1e6; second != r.second {
		r.second, r.left = second, recentASecond
	}
	for _, m := range done[max(0, len(done)-r.left):] {
		e := &r.ring[r.count%recentEvents]
		e.topic, e.acked, e.committed = m.Topic, now, m.Committed
		e.length = copy(e.id[:], idOf(m))
		r.count++
		r.left--
	}
}

// idOf is the event's id as its record carries it, nil if it carries none.
func idOf(m *kafka.Message) []byte {
	for i := range m.Headers {
		if m.Headers[i].Key == "id" {
			return m.Headers[i].Value
		}
	}
	return nil
}

// events returns what is remembered, newest first.
func (r *recent) events() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Event
	for i := range min(r.count, recentEvents) {
		out = append(out, r.ring[(r.count-1-i)%recentEvents].event())
	}
	return out
}

func (e *remembered) event() Event {
	out := Event{ID: printable(e.id[:e.length]), Topic: e.topic, Acked: time.UnixMicro(e.acked)}
	if e.committed != 0 {
		out.Delay = time.Duration(max(1, e.acked-e.committed)) * time.Microsecond
	}
	return out
}

// printable shows an id that is no text as its bytes. A long one may have been cut
// within a character.
func printable(id []byte) string {
	for cut := range min(utf8.UTFMax, len(id)+1) {
		if whole := id[:len(id)-cut]; utf8.Valid(whole) && (cut == 0 || len(id) == recentID) {
			return string(whole)
		}
	}
	return `\x` + hex.EncodeToString(id)
}
