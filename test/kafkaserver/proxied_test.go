package kafkaserver_test

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/test/faultproxy"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
)

// TestProxiedClientsStayBehindTheirProxy: a client that came through the proxy is told no way around it, and the other
// clients do not need it.
func TestProxiedClientsStayBehindTheirProxy(t *testing.T) {
	t.Parallel()
	proxy, err := faultproxy.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proxy.Close() })
	cluster := start(t, kafkaserver.Config{Advertised: []string{proxy.Addr()}})
	proxy.Forward(cluster.Behind()[0])
	if err := cluster.CreateTopic(wait.Context(t, time.Minute), "proxied", 1, 1, nil); err != nil {
		t.Fatal(err)
	}
	record := &kgo.Record{Topic: "proxied", Value: []byte("a")}
	proxied := newClient(t, cluster, kgo.SeedBrokers(proxy.Addr()))
	if err := proxied.ProduceSync(wait.Context(t, time.Minute), record).FirstErr(); err != nil {
		t.Fatal(err)
	}
	proxy.SetBoth(faultproxy.Faults{Stall: true})
	if err := proxied.Ping(wait.Context(t, time.Second)); err == nil {
		t.Error("the broker has answered through a stalled proxy")
	}
	direct := newClient(t, cluster)
	if err := direct.ProduceSync(wait.Context(t, time.Minute), record).FirstErr(); err != nil {
		t.Errorf("past the proxy: %v", err)
	}
}
