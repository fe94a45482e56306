package replication

import (
	"context"
	"net"
	"net/netip"

	"github.com/jackc/pgx/v5/pgconn"
)

// loopbackBuffer is the receive buffer of a connection within the host, where nothing
// is under way that needs a big one. The kernel doubles it. With half of it, rows of
// 3 kB were slower; with twice as much, the smallest ones.
const loopbackBuffer = 32 << 10

// dialLoopback is dial, but for connections within the host, which get a small receive
// buffer. It must be set before the connection is made: the sender makes its segments no
// larger than half of the largest window that it has seen, and waits for a timer when one
// does not fit.
func dialLoopback(dial pgconn.DialFunc) pgconn.DialFunc {
	small := net.Dialer{Control: controlReceiveBuffer}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if to, err := netip.ParseAddrPort(addr); err == nil && to.Addr().Unmap().IsLoopback() {
			return small.DialContext(ctx, network, addr)
		}
		return dial(ctx, network, addr)
	}
}

// isLoopback reports whether the connection to the peer has a small receive buffer.
func isLoopback(peer net.Addr) bool {
	tcp, ok := peer.(*net.TCPAddr)
	return ok && smallBuffers && tcp.IP.IsLoopback()
}
