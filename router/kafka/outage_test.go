package kafka_test

import (
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// freePort returns a port on which nothing listens.
func freePort(t *testing.T) (addr string, port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String(), l.Addr().(*net.TCPAddr).Port
}

// Nothing listens when the producer starts; later the broker is there.
func TestBrokerComesLater(t *testing.T) {
	t.Parallel()
	addr, port := freePort(t)
	cfg := configFor(addr)
	r := newRig(t, cfg)
	src := newSource(messages("a", 100, 10)...)
	src.close()
	run := r.start(t, src)
	eventually(t, "trouble in the status", func() bool { return !r.Status().RetryingSince.IsZero() })
	if s := r.Status(); s.Connected || s.LastError == "" {
		t.Errorf("status without a broker: %+v", s)
	}
	c := newCluster(t, kfake.Ports(port), kfake.SeedTopics(3, "a"))
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	checkComplete(t, c, "a", src)
	if s := r.Status(); !s.Connected || !s.RetryingSince.IsZero() {
		t.Errorf("status after it came: %+v", s)
	}
	log := r.log.String()
	if n := strings.Count(log, "retrying"); n != 1 {
		t.Errorf("%d log lines about one short outage, want 1:\n%s", n, log)
	}
	if !strings.Contains(log, "takes records again") {
		t.Errorf("the log does not say that it is over:\n%s", log)
	}
}

// The broker goes away in the middle: records pile up, nothing is lost, memory of
// ours does not grow with them.
func TestOutage(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.NumBrokers(2), kfake.SeedTopics(4, "a"))
	r := newRig(t, c.config())
	src := newSource(messages("a", 1000, 20)...)
	run := r.start(t, src)
	src.await(t, 1000)
	c.wire.down()
	src.give(messages("a", 50_000, 20)[1000:]...)
	eventually(t, "not connected", func() bool { s := r.Status(); return !s.Connected && !s.RetryingSince.IsZero() && s.Queued > 40_000 })
	acked := len(src.ackedMessages())
	c.wire.up()
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if acked == 50_000 {
		t.Error("all was acknowledged without a broker")
	}
	if repeats := checkComplete(t, c, "a", src); repeats != 0 {
		t.Errorf("%d records are in the log twice", repeats)
	}
	if s := r.Status(); !s.Connected || !s.RetryingSince.IsZero() {
		t.Errorf("status after the outage: %+v", s)
	}
}

// An idle producer notices that the cluster is gone, and that it is back.
func TestOutageWhileIdle(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	src := newSource(messages("a", 10, 1)...)
	run := r.start(t, src)
	src.await(t, 10)
	c.wire.down()
	eventually(t, "not connected", func() bool { return !r.Status().Connected })
	c.wire.up()
	eventually(t, "connected", func() bool { s := r.Status(); return s.Connected && s.RetryingSince.IsZero() })
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
}

// A broker that hangs, with its connections open, is noticed within ten seconds
// by a producer that has nothing to send.
func TestHangWhileIdle(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	cfg := c.config()
	cfg.RequestTimeout = time.Minute
	r := newRig(t, cfg)
	src := newSource(messages("a", 10, 1)...)
	run := r.start(t, src)
	src.await(t, 10)
	start := time.Now()
	hang := make(chan struct{})
	let := sync.OnceFunc(func() { close(hang) })
	defer let()
	c.ControlKey(int16(kmsg.Metadata), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		c.SleepControl(func() { <-hang })
		return nil, nil, false
	})
	eventually(t, "not connected", func() bool { s := r.Status(); return !s.Connected && !s.RetryingSince.IsZero() })
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v to notice", took)
	}
	let()
	eventually(t, "connected", func() bool { s := r.Status(); return s.Connected && s.RetryingSince.IsZero() })
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
}

// While nothing wants anything the loop sleeps.
func TestIdleProducerRests(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	src := &counting{source: newSource(messages("a", 10, 1)...)}
	asked := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata, kmsg.ApiVersions}, Observe: true, Count: -1})
	run := r.start(t, src)
	src.await(t, 10)
	before, waits := asked.Hits(), src.waits()
	eventually(t, "a first check of the idle cluster", func() bool { return asked.Hits() > before })
	if n := src.waits() - waits; n > 10 {
		t.Errorf("the loop turned %d times within one idle check", n)
	}
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
}

// All brokers get new addresses; only the bootstrap server's name stays.
func TestBrokersMove(t *testing.T) {
	t.Parallel()
	old := newCluster(t, kfake.SeedTopics(2, "a"))
	door := newDoor(t, old.ListenAddrs()[0])
	cfg := old.config()
	cfg.BootstrapServers = []string{door.addr()}
	r := newRig(t, cfg)
	src := newSource(messages("a", 100, 10)...)
	run := r.start(t, src)
	src.await(t, 100)

	c := newCluster(t, kfake.SeedTopics(2, "a"))
	door.lead(c.ListenAddrs()[0])
	old.wire.down()
	door.cut()
	src.give(messages("a", 200, 10)[100:]...)
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if n := c.end("a"); n != 100 {
		t.Errorf("%d records arrived at the new addresses, want 100", n)
	}
}

// A stalled connection holds up its own broker only.
func TestStalledBrokerDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	c, src := twoBrokers(t)
	r := newRig(t, c.config())
	release := c.stall(0)
	defer release()
	run := r.start(t, src)
	src.await(t, 100)
	for _, m := range src.ackedMessages() {
		if m.Partition != 1 {
			t.Errorf("message %s of the stalled broker was acknowledged", m.Value)
		}
	}
	release()
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	checkComplete(t, c, "a", src)
}

// A partition that waits its turn at a stalled broker follows its new leader.
func TestLeaderMovesWhileOldOneStalls(t *testing.T) {
	t.Parallel()
	c, src := twoBrokers(t)
	cfg := c.config()
	cfg.MetadataMaxAge = 20 * time.Millisecond
	r := newRig(t, cfg)
	release := c.stall(0)
	defer release()
	run := r.start(t, src)
	src.await(t, 100)
	third := message("a", "2", 1000)
	third.Partition = 2 // led by the stalled broker too
	src.give(third)
	eventually(t, "the record queued", func() bool { return r.Status().Queued == 1 })
	if err := c.MoveTopicPartition("a", 2, 1); err != nil {
		t.Fatal(err)
	}
	src.await(t, 101)
	release()
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	checkComplete(t, c, "a", src)
}

// twoBrokers has a topic with partitions 0 and 2 at broker 0 and partition 1 at
// broker 1, and a source with 100 messages for each of 0 and 1.
func twoBrokers(t *testing.T) (*cluster, *source) {
	t.Helper()
	c := newCluster(t, kfake.NumBrokers(2), kfake.SeedTopics(3, "a"))
	for p := range int32(3) {
		if err := c.MoveTopicPartition("a", p, p%2); err != nil {
			t.Fatal(err)
		}
	}
	all := messages("a", 200, 1)
	for i, m := range all {
		m.Partition, m.Key = int32(i%2), []byte{byte('0' + i%2)}
	}
	return c, newSource(all...)
}

// stall has a broker keep produce requests to itself until the returned function
// is called; then it takes them.
func (c *cluster) stall(node int32) (release func()) {
	stalled := make(chan struct{})
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if c.CurrentNode() == node {
			c.SleepControl(func() { <-stalled })
		}
		return nil, nil, false
	})
	return sync.OnceFunc(func() { close(stalled) })
}

// A broker gets a new address while its old one still answers: once the metadata
// says so, requests go to the new one.
func TestBrokerChangesAddress(t *testing.T) {
	t.Parallel()
	old, c := newCluster(t, kfake.SeedTopics(1, "a")), newCluster(t, kfake.SeedTopics(1, "a"))
	cfg := old.config()
	cfg.MetadataMaxAge = 20 * time.Millisecond
	r := newRig(t, cfg)
	src := newSource(message("a", "k", 0))
	run := r.start(t, src)
	src.await(t, 1)
	old.ControlKey(int16(kmsg.Metadata), func(req kmsg.Request) (kmsg.Response, error, bool) {
		old.KeepControl()
		return metadataOf(t, req, c.ListenAddrs()[0]), nil, true
	})
	start := time.Now()
	for n := 1; c.end("a") == 0; n++ {
		src.give(message("a", "k", n))
		src.await(t, n+1)
		if time.Since(start) > deadline {
			t.Fatal("records still go to the old address")
		}
	}
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
}

// metadataOf is an answer that knows one broker, 0, and its one partition of topic a.
func metadataOf(t *testing.T, req kmsg.Request, addr string) kmsg.Response {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Error(err)
	}
	resp := req.ResponseKind().(*kmsg.MetadataResponse)
	broker := kmsg.NewMetadataResponseBroker()
	broker.Host = host
	if _, err := fmt.Sscan(port, &broker.Port); err != nil {
		t.Error(err)
	}
	resp.Brokers = append(resp.Brokers, broker)
	topic, partition := kmsg.NewMetadataResponseTopic(), kmsg.NewMetadataResponseTopicPartition()
	topic.Topic = kmsg.StringPtr("a")
	topic.Partitions = append(topic.Partitions, partition)
	resp.Topics = append(resp.Topics, topic)
	return resp
}

// Messages that wait cost nothing beside themselves.
func TestQueueCostsNoMemory(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(8, "a"))
	r := newRig(t, c.config())
	src := newSource()
	run := r.start(t, src)
	src.give(messages("a", 1, 1)...)
	src.await(t, 1)
	all := messages("a", 200_000, 100)
	c.wire.down()
	before := heap()
	src.give(all...)
	eventually(t, "all queued", func() bool { return r.Status().Queued > 190_000 })
	after := heap()
	// The test's own list of what it gave is the 8 bytes a message that are not ours,
	// grown by doubling; batches in flight are bounded.
	if grown := after - before; grown > 8<<20 {
		t.Errorf("200,000 waiting messages cost %d bytes", grown)
	}
	c.wire.up()
	run.cancel(nil)
	_ = run.wait()
	runtime.KeepAlive(all)
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// The metadata is asked for again when it is old, though nothing fails and the
// producer is never idle.
func TestMetadataMaxAge(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	cfg := c.config()
	cfg.MetadataMaxAge = 20 * time.Millisecond
	r := newRig(t, cfg)
	asked := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Topic: "a", Observe: true, Count: -1})
	src := newSource()
	run := r.start(t, src)
	start := time.Now()
	for n := 1; asked.Hits() < 5; n++ {
		src.give(message("a", "k", n))
		src.await(t, n)
		if time.Since(start) > deadline {
			t.Fatalf("asked %d times in %v", asked.Hits(), deadline)
		}
	}
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
}
