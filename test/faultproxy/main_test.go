package faultproxy_test

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/faultproxy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit is the longest that anything here may take; a test that waits so long has failed.
const limit = 10 * time.Second

// pair is a connection through a proxy, seen from both ends.
type pair struct {
	proxy          *faultproxy.Proxy
	client, server *net.TCPConn
}

// connect makes a proxy in front of a listener of the test's own, and one connection through it.
func connect(t *testing.T) pair {
	t.Helper()
	p, _ := connectTo(t)
	return p
}

// connectTo also returns the listener, for more connections.
func connectTo(t *testing.T) (pair, net.Listener) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	proxy, err := faultproxy.Listen(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	return another(t, proxy, listener), listener
}

func another(t *testing.T, proxy *faultproxy.Proxy, listener net.Listener) pair {
	t.Helper()
	client, err := net.Dial("tcp", proxy.Addr())
	if err != nil {
		t.Fatal(err)
	}
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	p := pair{proxy, client.(*net.TCPConn), server.(*net.TCPConn)}
	t.Cleanup(func() { p.client.Close(); p.server.Close() })
	send(t, p.client, ".") // once it is through, the proxy knows the connection
	receive(t, p.server, 1)
	return p
}

// send writes a text.
func send(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := conn.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

// receive reads n bytes.
func receive(t *testing.T, conn net.Conn, n int) string {
	t.Helper()
	deadline(t, conn, limit)
	buf := make([]byte, n)
	if _, err := io.ReadFull(conn, buf); err != nil {
		t.Fatal(err)
	}
	return string(buf)
}

// silent demands that nothing arrives for a while.
func silent(t *testing.T, conn net.Conn) {
	t.Helper()
	deadline(t, conn, 100*time.Millisecond)
	n, err := conn.Read(make([]byte, 1))
	var netErr net.Error
	if n != 0 || !errors.As(err, &netErr) || !netErr.Timeout() {
		t.Fatalf("read %d bytes, error %v; want nothing to come", n, err)
	}
}

// rest reads until the end of the stream and returns all with the error that ended it.
func rest(t *testing.T, conn net.Conn) (string, error) {
	t.Helper()
	deadline(t, conn, limit)
	all, err := io.ReadAll(conn)
	return string(all), err
}

func deadline(t *testing.T, conn net.Conn, d time.Duration) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(d)); err != nil {
		t.Fatal(err)
	}
}
