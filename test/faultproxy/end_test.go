package faultproxy_test

import (
	"errors"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/faultproxy"
)

func TestCut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  faultproxy.End
		want error
	}{
		{"FIN", faultproxy.FIN, nil},
		{"RST", faultproxy.RST, syscall.ECONNRESET},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := connect(t)
			send(t, p.client, "a")
			receive(t, p.server, 1)
			if n := p.proxy.Cut(test.end); n != 1 {
				t.Errorf("%d connections cut, want 1", n)
			}
			for side, conn := range map[string]net.Conn{"client": p.client, "server": p.server} {
				if _, err := rest(t, conn); !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
					t.Errorf("%s: error %v, want %v", side, err, test.want)
				}
			}
		})
	}
}

// TestStallIsSilent is the half-open link: neither bytes nor the end of a connection pass until it is healed.
func TestStallIsSilent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		way  faultproxy.Direction
	}{{"to server", faultproxy.ToServer}, {"to client", faultproxy.ToClient}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := connect(t)
			from, to := p.client, p.server
			if test.way == faultproxy.ToClient {
				from, to = to, from
			}
			p.proxy.Set(test.way, faultproxy.Faults{Stall: true})
			send(t, from, "held")
			if err := from.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			silent(t, to)
			send(t, to, "back") // the other direction is good
			if got := receive(t, from, 4); got != "back" {
				t.Errorf("%q came the other way", got)
			}
			p.proxy.Heal()
			if got, err := rest(t, to); got != "held" || err != nil {
				t.Errorf("after the stall %q arrived, error %v", got, err)
			}
		})
	}
}

func TestCutEndsAStalledConnection(t *testing.T) {
	t.Parallel()
	p := connect(t)
	p.proxy.SetBoth(faultproxy.Faults{Stall: true})
	send(t, p.client, "lost")
	p.proxy.Cut(faultproxy.RST)
	p.proxy.Heal()
	if got, err := rest(t, p.server); got != "" || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%q arrived, error %v; want nothing and a reset", got, err)
	}
}

// TestForget: the server sees a reset, the client nothing, and the next connection is good.
func TestForget(t *testing.T) {
	t.Parallel()
	p, listener := connectTo(t)
	if n := p.proxy.Forget(); n != 1 {
		t.Errorf("%d connections forgotten, want 1", n)
	}
	if _, err := rest(t, p.server); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the server's error is %v, want a reset", err)
	}
	send(t, p.client, "swallowed")
	silent(t, p.client)
	send(t, p.client, "swallowed too")
	another(t, p.proxy, listener)
	p.client.Close()
	deadline := time.After(limit)
	for p.proxy.Connections() > 1 {
		select {
		case <-time.After(time.Millisecond):
		case <-deadline:
			t.Fatal("the forgotten connection is still there after its client has closed it")
		}
	}
}

func TestTruncate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		bytes int64
		end   faultproxy.End
		want  string
	}{
		{"before the first byte", 0, faultproxy.FIN, ""},
		{"in the middle", 4, faultproxy.FIN, "abcd"},
		{"before the last byte", 7, faultproxy.FIN, "abcdefg"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := connect(t)
			send(t, p.server, "before")
			receive(t, p.client, 6)
			happened := p.proxy.Truncate(faultproxy.ToClient, test.bytes, test.end)
			send(t, p.client, "question")
			receive(t, p.server, 8)
			send(t, p.server, "abcdefgh")
			got, err := rest(t, p.client)
			if got != test.want || err != nil {
				t.Errorf("got %q, error %v; want %q", got, err, test.want)
			}
			await(t, happened)
		})
	}
}

// TestTruncateHappensOnce: exactly so many bytes may pass, and only one connection is cut.
func TestTruncateHappensOnce(t *testing.T) {
	t.Parallel()
	p := connect(t)
	happened := p.proxy.Truncate(faultproxy.ToServer, 3, faultproxy.RST)
	send(t, p.client, "abc")
	if got := receive(t, p.server, 3); got != "abc" {
		t.Errorf("got %q", got)
	}
	send(t, p.client, "d")
	if _, err := rest(t, p.server); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("error %v, want a reset", err)
	}
	await(t, happened)
}
