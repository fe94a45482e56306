package kafka

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/IBM/sarama"
)

// idleLimit is the age of the last use at which a connection is replaced before
// it is used again: brokers close idle connections after 10 minutes
// (connections.max.idle.ms), and finding that out costs a failed request.
const idleLimit = 9 * time.Minute

var errHalted = errors.New("stopped before the request was written")

// link sends produce requests to one broker over one connection, one at a time.
// sarama writes, waits out throttling and reconnects on the caller's goroutine,
// any of which may take long; a goroutine for each link keeps the session's own
// free. BenchmarkRoundTrip shows no difference: about 95 us with and without it.
type link struct {
	conn     *conn
	opened   bool // by the sender
	lastUsed time.Time

	requests chan *sarama.ProduceRequest // capacity 1, so that handing over never blocks
	discard  bool                        // set before requests is closed: close the connection too

	mu      sync.Mutex
	writing bool // the request at hand may have reached the broker
	halted  bool
}

func newLink(addr string) *link {
	return &link{conn: newConn(addr)}
}

// start runs the sender, counted in senders, until stop or drop.
func (l *link) start(cfg *Config, n *node, mail *mailbox, senders *sync.WaitGroup) {
	requests := make(chan *sarama.ProduceRequest, 1)
	l.requests, l.halted = requests, false
	senders.Go(func() {
		for req := range requests {
			if err := l.send(cfg, req, n, mail); err != nil {
				mail.post(answer{node: n, err: err})
			}
		}
		if l.discard {
			l.conn.close()
		}
	})
}

func (l *link) running() bool { return l.requests != nil }

// stop ends the sender. It keeps a connection that is in order; no request may
// be in flight on it.
func (l *link) stop() {
	l.discard = l.discard || l.conn.line.isCut()
	close(l.requests)
	l.requests = nil
}

// drop ends the sender and the connection, with whatever is in flight on it.
func (l *link) drop() {
	l.conn.line.cut()
	l.stop()
}

// send hands one request to sarama, which posts the answer later. An error means
// that there will be none.
func (l *link) send(cfg *Config, req *sarama.ProduceRequest, n *node, mail *mailbox) error {
	if !l.opened {
		if err := l.conn.open(cfg, cfg.RequestTimeout); err != nil {
			return err
		}
		l.opened = true
	}
	if !l.begin() {
		return errHalted
	}
	err := l.conn.broker.AsyncProduce(req, func(resp *sarama.ProduceResponse, err error) {
		l.end()
		mail.post(answer{node: n, resp: resp, err: err})
	})
	if err != nil {
		return fmt.Errorf("send to broker %s: %w", l.conn.addr, err)
	}
	return nil
}

func (l *link) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writing = !l.halted
	return l.writing
}

func (l *link) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writing = false
}

// halt lets nothing new reach the broker: a request that is not yet being
// written is given up, one that is stays in flight.
func (l *link) halt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.halted = true
	if !l.writing {
		l.conn.line.cut()
	}
}
