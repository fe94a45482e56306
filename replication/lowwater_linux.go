package replication

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// lowWater sets how many bytes must have arrived before the kernel tells the
// runtime. It watches every socket, edge-triggered, so without this one of its
// threads wakes up for each message even while nobody reads.
type lowWater struct{ socket syscall.RawConn }

func newLowWater(conn net.Conn) lowWater {
	s, ok := conn.(syscall.Conn)
	if !ok {
		return lowWater{}
	}
	socket, err := s.SyscallConn()
	if err != nil {
		return lowWater{}
	}
	return lowWater{socket}
}

// set is best effort: a socket without the option only wakes up more often.
func (l lowWater) set(bytes int) {
	if l.socket == nil {
		return
	}
	l.socket.Control(func(fd uintptr) { //nolint:errcheck // a closed connection fails at the next read
		unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVLOWAT, bytes) //nolint:errcheck // see above
	})
}
