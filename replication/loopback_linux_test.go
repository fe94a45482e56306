package replication

import (
	"context"
	"errors"
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// A connection within the host has a small receive buffer from its start; others are left to the dialer.
func TestDialLoopback(t *testing.T) {
	t.Parallel()
	elsewhere := errors.New("dialed elsewhere")
	dial := dialLoopback(func(context.Context, string, string) (net.Conn, error) { return nil, elsewhere })
	for _, address := range []string{"192.0.2.1:5432", "[2001:db8::1]:5432", "/var/run/postgresql/.s.PGSQL.5432"} {
		if _, err := dial(t.Context(), "tcp", address); !errors.Is(err, elsewhere) {
			t.Errorf("%s: %v", address, err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := dial(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if !isLoopback(conn.RemoteAddr()) {
		t.Errorf("%s is not known to be within the host", conn.RemoteAddr())
	}
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var size int
	if err := errors.Join(raw.Control(func(fd uintptr) { size, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF) }), err); err != nil {
		t.Fatal(err)
	}
	if size != 2*loopbackBuffer {
		t.Errorf("a receive buffer of %d bytes, want twice %d", size, loopbackBuffer)
	}
}
