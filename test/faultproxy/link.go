package faultproxy

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// drainTime is how long a connection that was ended with FIN is still read: a socket that is closed with unread data
// sends RST instead.
const drainTime = 2 * time.Second

// link is one connection through the proxy: two sockets and a lane for each direction.
type link struct {
	proxy *Proxy
	conns [directions]*net.TCPConn // [d] is where direction d leads to
	lanes [directions]*lane

	once sync.Once
	done chan struct{} // closed when nothing may pass any more

	forgotten atomic.Bool // the server's side is gone, and the client must not notice
}

func newLink(p *Proxy, client, server *net.TCPConn) *link {
	l := &link{proxy: p, done: make(chan struct{})}
	l.conns[ToServer], l.conns[ToClient] = server, client
	l.lanes[ToServer] = newLane(l, ToServer, client, server)
	l.lanes[ToClient] = newLane(l, ToClient, server, client)
	return l
}

// run serves the connection until both sides have ended it or it is cut.
func (l *link) run() {
	var lanes sync.WaitGroup
	for _, lane := range l.lanes {
		lanes.Go(lane.read)
		lanes.Go(lane.write)
	}
	lanes.Wait()
	for _, conn := range l.conns {
		conn.Close() //nolint:errcheck // its end was seen already
	}
}

// end cuts the connection. What is in the proxy is lost, as it is in the buffers of a machine that goes down.
func (l *link) end(how End) {
	l.once.Do(func() {
		close(l.done)
		for _, conn := range l.conns {
			if how == RST {
				reset(conn)
				continue
			}
			conn.CloseWrite()                               //nolint:errcheck // the peer may be gone
			conn.SetReadDeadline(time.Now().Add(drainTime)) //nolint:errcheck // see above
		}
	})
}

// forget ends the server's half. The client's stays until the client or Cut ends it.
func (l *link) forget() {
	l.forgotten.Store(true)
	reset(l.conns[ToServer])
}
