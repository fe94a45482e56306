package floor

import (
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// pacePause lets about 250 rows arrive between two reads.
	pacePause = 2 * time.Millisecond
	// lowWater is more than arrives during a pause.
	lowWater = readBuffer
)

// paced lets the socket's buffer fill for a pause before each read. The walsender sends every message by a system call
// of its own; a reader that wakes up for each one takes the processor that the walsender needs.
//
// A pause alone is not enough: the runtime watches all sockets (epoll, edge-triggered), and one of its threads wakes up
// for each message that arrives, also while no goroutine reads. So during a pause the socket's low-water mark is raised,
// below which the kernel does not report data.
type paced struct {
	io.Reader
	timer  *time.Timer
	socket syscall.RawConn // nil: no pauses
	full   bool            // the last read may have left something
}

func newPaced() *paced { return &paced{timer: time.NewTimer(pacePause)} }

// stop releases the timer.
func (p *paced) stop() { p.timer.Stop() }

// slowDown begins the pauses.
func (p *paced) slowDown(conn net.Conn) error {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return fmt.Errorf("the connection is no socket but a %T", conn)
	}
	var err error
	p.socket, err = socket.SyscallConn()
	return err
}

// Read implements io.Reader.
func (p *paced) Read(b []byte) (int, error) {
	if p.socket != nil && !p.full {
		if err := p.pause(); err != nil {
			return 0, err
		}
	}
	n, err := p.Reader.Read(b)
	p.full = n == len(b)
	return n, err
}

func (p *paced) pause() error {
	if err := p.setLowWater(lowWater); err != nil {
		return err
	}
	p.timer.Reset(pacePause)
	<-p.timer.C
	return p.setLowWater(1)
}

// setLowWater says how many bytes must have arrived before the kernel reports them.
func (p *paced) setLowWater(bytes int) error {
	var failed error
	err := p.socket.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVLOWAT, bytes)
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("set the socket's low-water mark: %w", err)
	}
	return nil
}
