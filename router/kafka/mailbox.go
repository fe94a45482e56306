package kafka

import (
	"sync"

	"github.com/IBM/sarama"
)

// answer is what became of one produce request.
type answer struct {
	node *node
	resp *sarama.ProduceResponse // nil if err is set
	err  error
}

// mailbox takes answers from the goroutines that read connections to the one
// that runs the session. Posting never blocks: a callback that waited would stop
// its connection, and with it the Close that is to end the wait. It holds at most
// one answer a connection, since that is how many requests are in flight.
type mailbox struct {
	mu      sync.Mutex
	answers []answer
	filled  chan struct{} // readable when there are answers
}

func newMailbox() *mailbox {
	return &mailbox{filled: make(chan struct{}, 1)}
}

func (m *mailbox) post(a answer) {
	m.mu.Lock()
	m.answers = append(m.answers, a)
	m.mu.Unlock()
	select {
	case m.filled <- struct{}{}:
	default:
	}
}

// take moves all answers to dst, which should be empty, and returns it.
func (m *mailbox) take(dst []answer) []answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	dst = append(dst, m.answers...)
	clear(m.answers)
	m.answers = m.answers[:0]
	return dst
}
