package kafka_test

import (
	"encoding/binary"
	"errors"
	"net"
	"sync"
)

// fate is what becomes of one produce request.
type fate int

const (
	pass       fate = iota
	loseAnswer      // the broker takes it, then the connection breaks
)

// wire listens for a fake broker and decides the fate of each produce request by
// what it sees pass.
type wire struct {
	mu       sync.Mutex
	decide   func(n int) fate // of the nth produce answer, from 1; nil passes all
	produced int
	held     chan struct{} // not nil: answers to produce requests wait until it is closed
	refuse   bool          // new connections are closed at once
	conns    map[*wireConn]struct{}
}

func newWire() *wire { return &wire{conns: make(map[*wireConn]struct{})} }

func (w *wire) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	return &wireListener{Listener: l, wire: w}, err
}

// onAnswer sets the rule for the answers from now on, counted from 1.
func (w *wire) onAnswer(decide func(n int) fate) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.decide, w.produced = decide, 0
}

// hold withholds answers to produce requests until the returned function is called.
func (w *wire) hold() (release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	held := make(chan struct{})
	w.held = held
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		close(held)
		w.held = nil
	})
}

// down breaks all connections and refuses new ones until up.
func (w *wire) down() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refuse = true
	for c := range w.conns {
		_ = c.Conn.Close()
	}
}

func (w *wire) up() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refuse = false
}

// open is how many connections there are.
func (w *wire) open() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.conns)
}

// cut breaks all connections once.
func (w *wire) cut() {
	w.down()
	w.up()
}

type wireListener struct {
	net.Listener
	wire *wire
}

func (l *wireListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.wire.mu.Lock()
		if l.wire.refuse {
			_ = c.Close()
			l.wire.mu.Unlock()
			continue
		}
		conn := &wireConn{Conn: c, wire: l.wire}
		l.wire.conns[conn] = struct{}{}
		l.wire.mu.Unlock()
		return conn, nil
	}
}

// wireConn follows the requests that are read from it: each begins with its
// length in four bytes and its key in two; produce has the key 0.
type wireConn struct {
	net.Conn
	wire *wire

	mu      sync.Mutex
	head    []byte // of the request that is being read, up to six bytes
	skip    int    // bytes left of it
	produce []bool // for each request not yet answered
}

func (c *wireConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.follow(b[:n])
	return n, err
}

func (c *wireConn) follow(b []byte) {
	const headSize = 6
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(b) > 0 {
		if c.skip > 0 {
			n := min(c.skip, len(b))
			c.skip -= n
			b = b[n:]
			continue
		}
		c.head = append(c.head, b[0])
		b = b[1:]
		if len(c.head) == headSize {
			c.skip = int(binary.BigEndian.Uint32(c.head)) - 2
			c.produce = append(c.produce, binary.BigEndian.Uint16(c.head[4:]) == 0)
			c.head = c.head[:0]
		}
	}
}

// answersProduce takes the request that is answered next off the list.
func (c *wireConn) answersProduce() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.produce) == 0 {
		return false
	}
	first := c.produce[0]
	c.produce = c.produce[1:]
	return first
}

func (c *wireConn) Write(b []byte) (int, error) {
	if !c.answersProduce() {
		return c.Conn.Write(b)
	}
	c.wire.mu.Lock()
	c.wire.produced++
	todo := pass
	if c.wire.decide != nil {
		todo = c.wire.decide(c.wire.produced)
	}
	held := c.wire.held
	c.wire.mu.Unlock()
	if held != nil {
		<-held
	}
	if todo == loseAnswer {
		_ = c.Conn.Close()
		return 0, net.ErrClosed
	}
	return c.Conn.Write(b)
}

func (c *wireConn) Close() error {
	c.wire.mu.Lock()
	delete(c.wire.conns, c)
	c.wire.mu.Unlock()
	return c.Conn.Close()
}

var errDropped = errors.New("dropped by the test")
