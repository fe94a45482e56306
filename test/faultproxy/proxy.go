// Package faultproxy is a TCP proxy for tests whose links go bad on command: cut (FIN or RST), stalled without a sign
// (half-open), delayed, throttled, truncated at a byte, each direction by itself. It promises that what passes is
// unchanged and in order, and that a link is bad for all connections of the proxy alike, as a network is. It returns
// errors and knows nothing of testing.
//
// One thing differs from a network: the kernel under the proxy acknowledges at once what it takes, keepalive probes
// included. A peer of a stalled link can tell it from a dead one by nothing but the silence.
package faultproxy

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"time"
)

// Direction is one of the two ways through a proxy.
type Direction int

// The directions.
const (
	ToServer Direction = iota
	ToClient
)

// directions is how many there are.
const directions = 2

// End is how a connection ends.
type End int

const (
	// FIN is the orderly end: a peer reads what was under way, then the end of the stream.
	FIN End = iota
	// RST is the end of a process or machine that has forgotten the connection: what was under way is lost.
	RST
)

// Faults are those of one direction. The zero value is a good link.
type Faults struct {
	Stall          bool          // nothing passes, not even the end of a connection, and nobody is told
	Delay          time.Duration // what arrives passes so much later
	BytesPerSecond int           // of each connection; 0 is unlimited
}

const dialTimeout = 5 * time.Second // of the server, which is on this machine

// Proxy is a listener and the connections made through it. Its methods may be called by several goroutines.
type Proxy struct {
	listener net.Listener
	running  sync.WaitGroup

	mu       sync.Mutex
	target   string
	refuse   bool
	faults   [directions]Faults
	truncate [directions]*truncation
	changed  chan struct{} // closed and replaced when faults change
	links    map[*link]bool
	closed   bool
}

// Listen makes a proxy on a free port of 127.0.0.1. target (host:port) may be empty until Forward names it. The caller
// must call Close.
func Listen(target string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for a proxy to %q: %w", target, err)
	}
	p := &Proxy{listener: listener, target: target, changed: make(chan struct{}), links: map[*link]bool{}}
	p.running.Go(p.accept)
	return p, nil
}

// Addr is the address to connect to instead of the server's, as host:port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Forward sets where new connections go.
func (p *Proxy) Forward(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
}

// Set replaces the faults of one direction, for the connections that are there and for new ones.
func (p *Proxy) Set(d Direction, f Faults) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults[d] = f
	p.tell()
}

// SetBoth replaces the faults of both directions.
func (p *Proxy) SetBoth(f Faults) {
	p.Set(ToServer, f)
	p.Set(ToClient, f)
}

// Refuse makes new connections end with RST at once, or stops doing so.
func (p *Proxy) Refuse(refuse bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = refuse
}

// Heal makes the link good again. What a stall held back passes now, the ends of connections too.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = false
	p.faults = [directions]Faults{}
	p.truncate = [directions]*truncation{}
	p.tell()
}

// Cut ends all connections, towards both sides, and returns how many there were.
func (p *Proxy) Cut(end End) int {
	links := p.open()
	for _, l := range links {
		l.end(end)
	}
	return len(links)
}

// Forget makes all connections half-open and returns how many there were: the server sees them reset, the client hears
// nothing any more and what it sends is swallowed, as if a router had forgotten them. New connections are good.
func (p *Proxy) Forget() int {
	links := p.open()
	for _, l := range links {
		l.forget()
	}
	return len(links)
}

func (p *Proxy) open() []*link {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.links))
}

// Connections is how many are open.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

// Close ends the listener and all connections and waits for all that belongs to them. Closing twice is no error.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	err := p.listener.Close()
	p.Cut(RST)
	p.running.Wait()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close a proxy: %w", err)
	}
	return nil
}

// tell wakes up whoever looks at the faults. p.mu is held.
func (p *Proxy) tell() {
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *Proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return // Close
		}
		p.running.Go(func() { p.connect(conn.(*net.TCPConn)) })
	}
}

// connect makes the other half of a connection and serves it to its end.
func (p *Proxy) connect(client *net.TCPConn) {
	p.mu.Lock()
	target, refuse := p.target, p.refuse
	p.mu.Unlock()
	if refuse {
		reset(client)
		return
	}
	server, err := net.DialTimeout("tcp", target, dialTimeout)
	if err != nil {
		reset(client)
		return
	}
	l := newLink(p, client, server.(*net.TCPConn))
	if !p.add(l) {
		l.end(RST)
	}
	l.run()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

// add notes a connection, unless the proxy is closed.
func (p *Proxy) add(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.links[l] = true
	return !p.closed
}

// reset closes a connection so that its peer sees RST.
func reset(conn *net.TCPConn) {
	conn.SetLinger(0) //nolint:errcheck // it is closed already
	conn.Close()      //nolint:errcheck // see above
}
