package faultproxy_test

import (
	"crypto/rand"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/faultproxy"
)

func TestGoodLinkChangesNothing(t *testing.T) {
	t.Parallel()
	p := connect(t)
	sent := make([]byte, 3<<20)
	rand.Read(sent)
	go func() {
		p.client.Write(sent)  //nolint:errcheck // the reader sees it
		p.client.CloseWrite() //nolint:errcheck // see above
	}()
	got, err := rest(t, p.server)
	if err != nil || got != string(sent) {
		t.Errorf("%d bytes arrived of %d, error %v, or they are changed", len(got), len(sent), err)
	}
	send(t, p.server, "answer") // the other direction is still open
	if got := receive(t, p.client, 6); got != "answer" {
		t.Errorf("the answer is %q", got)
	}
}

func TestDelay(t *testing.T) {
	t.Parallel()
	p := connect(t)
	const delay = 150 * time.Millisecond
	p.proxy.Set(faultproxy.ToServer, faultproxy.Faults{Delay: delay})
	began := time.Now()
	send(t, p.client, "a")
	receive(t, p.server, 1)
	if took := time.Since(began); took < delay {
		t.Errorf("a byte took %v, want at least %v", took, delay)
	}
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	p := connect(t)
	p.proxy.Set(faultproxy.ToClient, faultproxy.Faults{BytesPerSecond: 10_000})
	began := time.Now()
	send(t, p.server, string(make([]byte, 3000)))
	receive(t, p.client, 3000)
	// The pause after the last piece, of a fiftieth of a second, is not waited for.
	if took := time.Since(began); took < 270*time.Millisecond {
		t.Errorf("3,000 bytes at 10,000 a second took %v", took)
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	p := connect(t)
	p.proxy.Refuse(true)
	isRefused(t, p.proxy)
	send(t, p.client, "a") // the old ones go on
	receive(t, p.server, 1)
}

// TestForward makes a proxy whose server comes later, and moves.
func TestForward(t *testing.T) {
	t.Parallel()
	proxy, err := faultproxy.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	for range 2 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		proxy.Forward(listener.Addr().String())
		p := another(t, proxy, listener)
		send(t, p.client, "a")
		receive(t, p.server, 1)
	}
	if n := proxy.Connections(); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
}

// TestServerAway shows a server that is down as a reset, not as a hang.
func TestServerAway(t *testing.T) {
	t.Parallel()
	proxy, err := faultproxy.Listen("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	isRefused(t, proxy)
}

// isRefused demands that a new connection is reset, be it in the connect or right after it.
func isRefused(t *testing.T, proxy *faultproxy.Proxy) {
	t.Helper()
	conn, err := net.Dial("tcp", proxy.Addr())
	if err == nil {
		defer conn.Close()
		_, err = rest(t, conn)
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a connection ended with %v, want a reset", err)
	}
}

func await(t *testing.T, ch <-chan struct{}) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(limit):
		t.Fatal("it has not happened")
	}
}
