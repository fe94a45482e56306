package replication

import (
	"net"
	"sync/atomic"
	"time"
)

// wireBuffer is what one read of the socket may bring: about 600 rows of 400
// bytes, and more than the walsender writes during one pause.
const wireBuffer = 256 << 10

// wire is the network connection below TLS and the PostgreSQL protocol. It reads
// in big pieces, tells its owner before it waits, and paces itself during a
// backlog.
//
// The walsender writes every message with a system call of its own. A reader
// that wakes up for each one takes the processor that the walsender needs, and
// halves its speed. While its owner says that it is behind, the wire therefore
// lets the socket buffer fill for a pause before it reads again, and asks the
// kernel not to wake anybody meanwhile.
//
// On the loopback interface the walsender's system call also does the receiver's
// share of TCP for each message, as long as the receiver takes it. So there the
// receive buffer is small (see dialLoopback): it is soon full, what the walsender
// writes joins in its own buffer, which costs it a third, and comes in big segments
// after the pause.
type wire struct {
	net.Conn
	buf      []byte
	from, to int // unread part of buf
	wait     func()
	pace     time.Duration // length of a pause; 0 or less never pauses
	full     int           // a read of so many bytes shows that more is waiting
	behind   bool          // set by the owner
	timer    *time.Timer
	mark     lowWater
	last     atomic.Int64 // when data last arrived, in Unix nanoseconds
}

func newWire(conn net.Conn, pace time.Duration) *wire {
	w := &wire{Conn: conn, buf: make([]byte, wireBuffer), pace: pace, full: wireBuffer, mark: newLowWater(conn)}
	if isLoopback(conn.RemoteAddr()) {
		w.full = loopbackBuffer / 4
	}
	w.touch(time.Now())
	return w
}

// Read implements net.Conn. It must be called from one goroutine.
func (w *wire) Read(p []byte) (int, error) {
	if w.from == w.to {
		if err := w.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, w.buf[w.from:w.to])
	w.from += n
	return n, nil
}

func (w *wire) fill() error {
	if w.wait != nil {
		w.wait()
		if w.pace > 0 && w.behind {
			w.pause()
		}
	}
	n, err := w.Conn.Read(w.buf)
	w.from, w.to = 0, n
	if n == 0 {
		return err
	}
	// An error that came with data shows again at the next read.
	w.touch(time.Now())
	return nil
}

// touch notes that the server has shown to be alive.
func (w *wire) touch(now time.Time) { w.last.Store(now.UnixNano()) }

// lastData is when data last arrived. Any goroutine may ask.
func (w *wire) lastData() time.Time { return time.Unix(0, w.last.Load()) }

// pause lets the socket buffer fill, unless the last read did not empty it, or the
// walsender's.
func (w *wire) pause() {
	if w.to >= w.full {
		return
	}
	w.mark.set(len(w.buf))
	if w.timer == nil {
		w.timer = time.NewTimer(w.pace)
	} else {
		w.timer.Reset(w.pace)
	}
	<-w.timer.C
	w.mark.set(1)
}
