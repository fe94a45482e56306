package kafka

import (
	"context"
	"net"
	"sync"
	"time"
)

// dialTimeout bounds the set-up of one TCP connection
// (socket.connection.setup.timeout.ms in Java, same value).
const dialTimeout = 10 * time.Second

// line is the TCP connection under one sarama.Broker. A Broker holds its lock
// while it dials, authenticates, writes, or waits for the answer to a request,
// and its Close needs that lock: to stop one at once, the socket must be closed
// beneath it. line is the dialer that sarama takes, and keeps hold of the socket.
type line struct {
	mu     sync.Mutex
	cutOff bool
	cancel context.CancelFunc // of the dial, or the question for a token, under way
	conn   net.Conn
}

// begin returns a context for one step of the set-up, bounded by dialTimeout, that
// cut ends early. end must be called.
func (l *line) begin() (ctx context.Context, end func()) {
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cancel = cancel
	if l.cutOff {
		cancel()
	}
	return ctx, func() {
		cancel()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.cancel = nil
	}
}

// Dial is called once, by sarama. It resolves the name anew.
func (l *line) Dial(network, addr string) (net.Conn, error) {
	ctx, end := l.begin()
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	end()

	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if l.cutOff {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	l.conn = conn
	return conn, nil
}

// cut ends the connection, and whatever waits for it, at once and for good. It
// never blocks and may be called from any goroutine, more than once.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cutOff = true
	if l.cancel != nil {
		l.cancel()
	}
	if l.conn != nil {
		_ = l.conn.Close() // whoever uses it gets the error
	}
}

func (l *line) isCut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cutOff
}
