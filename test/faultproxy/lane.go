package faultproxy

import (
	"errors"
	"io"
	"net"
	"time"
)

const (
	chunkBytes = 16 << 10
	queueLen   = 16 // chunks under way in one direction: what a delayed link holds
	// pieceTime is how finely a throttled direction is cut up.
	pieceTime = 20 * time.Millisecond
)

// chunk is what one read brought: bytes, or the end of the stream.
type chunk struct {
	bytes []byte
	ended bool
	how   End
	at    time.Time
}

// lane carries one direction of a link.
type lane struct {
	link     *link
	way      Direction
	from, to *net.TCPConn
	queue    chan chunk

	passed int64       // bytes, counted by the writer
	seen   *truncation // the last one the writer met
	base   int64       // passed at that time
}

func newLane(l *link, way Direction, from, to *net.TCPConn) *lane {
	return &lane{link: l, way: way, from: from, to: to, queue: make(chan chunk, queueLen)}
}

// read takes what comes until the stream ends. After a cut it goes on for as long as the deadline lets it, for nothing.
func (n *lane) read() {
	defer close(n.queue)
	for {
		buf := make([]byte, chunkBytes)
		count, err := n.from.Read(buf)
		if count > 0 {
			n.put(chunk{bytes: buf[:count], at: time.Now()})
		}
		if err != nil {
			how := RST
			if errors.Is(err, io.EOF) {
				how = FIN
			}
			n.put(chunk{ended: true, how: how, at: time.Now()})
			return
		}
	}
}

func (n *lane) put(c chunk) {
	select {
	case n.queue <- c:
	case <-n.link.done:
	}
}

// write passes on what was read. A peer that takes no more ends both directions. Of a forgotten link it swallows all.
func (n *lane) write() {
	for c := range n.queue {
		if !n.await(c.at) {
			return
		}
		switch {
		case n.link.forgotten.Load():
		case c.ended && c.how == RST:
			n.link.end(RST)
		case c.ended:
			n.to.CloseWrite() //nolint:errcheck // the peer may be gone
		case !n.pass(c.bytes) && !n.link.forgotten.Load():
			n.link.end(RST)
		}
	}
}

// pass writes bytes as fast as the link allows. It answers whether the connection goes on.
func (n *lane) pass(bytes []byte) bool {
	for len(bytes) > 0 {
		if !n.await(time.Time{}) {
			return true // it is cut already
		}
		piece, pause := n.piece(bytes)
		allowed, cut := n.allow(len(piece))
		if _, err := n.to.Write(piece[:allowed]); err != nil {
			return false
		}
		n.passed += int64(allowed)
		if cut != nil {
			n.link.end(cut.end)
			close(cut.happened)
			return true
		}
		bytes = bytes[len(piece):]
		if !n.sleep(pause) {
			return true
		}
	}
	return true
}

// piece is how much may pass at once, and how long nothing may after it.
func (n *lane) piece(bytes []byte) ([]byte, time.Duration) {
	rate := n.link.proxy.now(n.way).BytesPerSecond
	if rate <= 0 {
		return bytes, 0
	}
	most := max(1, int(float64(rate)*pieceTime.Seconds()))
	bytes = bytes[:min(len(bytes), most)]
	return bytes, time.Duration(float64(len(bytes)) / float64(rate) * float64(time.Second))
}

// await waits until what was read at that time may pass. It answers false when the connection is cut.
func (n *lane) await(read time.Time) bool {
	for {
		faults, changed := n.link.proxy.look(n.way)
		wait := time.Duration(0)
		if !read.IsZero() {
			wait = time.Until(read.Add(faults.Delay))
		}
		if !faults.Stall && wait <= 0 {
			return !n.cut()
		}
		var due <-chan time.Time
		if !faults.Stall {
			timer := time.NewTimer(wait)
			defer timer.Stop()
			due = timer.C
		}
		select {
		case <-due:
		case <-changed:
		case <-n.link.done:
			return false
		}
	}
}

// sleep answers false when the connection is cut meanwhile.
func (n *lane) sleep(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-n.link.done:
		return false
	}
}

func (n *lane) cut() bool {
	select {
	case <-n.link.done:
		return true
	default:
		return false
	}
}

// look returns the faults of a direction now, and what tells when they change.
func (p *Proxy) look(d Direction) (Faults, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.faults[d], p.changed
}

func (p *Proxy) now(d Direction) Faults {
	f, _ := p.look(d)
	return f
}
