package replication

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// smallBuffers says whether controlReceiveBuffer does anything.
const smallBuffers = true

// controlReceiveBuffer sets a new socket's receive buffer to loopbackBuffer. It is best
// effort: a socket without it is slower.
func controlReceiveBuffer(_, _ string, socket syscall.RawConn) error {
	return socket.Control(func(fd uintptr) {
		unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, loopbackBuffer) //nolint:errcheck // see above
	})
}
