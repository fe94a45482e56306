package e2e_test

import (
	"net"
	"net/url"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/outbox-relay/outbox-relay/test/faultproxy"
)

// links are the network between a relay and both sides. Everybody else goes past the one to PostgreSQL.
type links struct {
	toPostgres, toKafka *faultproxy.Proxy
	args                []string // for the relay
}

// newLinkedRig is newFakeRig with proxies around the relay.
func newLinkedRig(t testing.TB, s setup, partitions int32, options ...kfake.Opt) (*rig, *kfake.Cluster, *links) {
	t.Helper()
	toKafka := newLink(t, "")
	options = append(options, kfake.ListenFn(func(network, address string) (net.Listener, error) {
		listener, err := net.Listen(network, address)
		if err != nil {
			return nil, err
		}
		toKafka.Forward(listener.Addr().String())
		return advertised{listener, toKafka.Addr()}, nil
	}))
	r, cluster := newFakeRig(t, s, partitions, options...)
	database, err := url.Parse(r.db.DSN)
	if err != nil {
		t.Fatal(err)
	}
	toPostgres := newLink(t, database.Host)
	database.Host = toPostgres.Addr()
	return r, cluster, &links{toPostgres, toKafka, []string{"-database.url", database.String()}}
}

func newLink(t testing.TB, target string) *faultproxy.Proxy {
	t.Helper()
	proxy, err := faultproxy.Listen(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	return proxy
}

// advertised is a listener that tells its clients the address of a proxy before it.
type advertised struct {
	net.Listener
	addr string
}

func (a advertised) Addr() net.Addr {
	addr, err := net.ResolveTCPAddr("tcp", a.addr)
	if err != nil {
		return a.Listener.Addr()
	}
	return addr
}
