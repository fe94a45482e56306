package kafka_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

var errStop = errors.New("the test says stop")

// A stop while requests are in flight: nothing new is sent, answers that come are
// reported, the next Run goes on in order.
func TestStopReportsWhatIsInFlight(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	release := c.wire.hold()
	defer release()
	src := newSource(messages("a", 100, 10)...)
	run := r.start(t, src)
	eventually(t, "the first batch in the log", func() bool { return c.end("a") == 100 })
	src.give(messages("a", 200, 10)[100:]...)
	eventually(t, "the second batch queued", func() bool { return r.Status().Queued == 100 })
	run.cancel(errStop)
	time.AfterFunc(50*time.Millisecond, release)
	if err := run.wait(); !errors.Is(err, errStop) {
		t.Fatalf("Run returned %v, want the cause of the stop", err)
	}
	if n := len(src.ackedMessages()); n != 100 {
		t.Errorf("%d records were acknowledged, want the 100 in flight", n)
	}
	if n := c.end("a"); n != 100 {
		t.Errorf("the log holds %d records, something was sent after the stop", n)
	}
	if s := r.Status(); s.InFlight != 0 || s.Queued != 0 || s.Requests != 0 {
		t.Errorf("status between two Runs: %+v", s)
	}
	src.given = messagesOf(src)
	src.rewind()
	r.runAll(t, src)
	if n := c.end("a"); n != 200 {
		t.Errorf("the log holds %d records, want 200", n)
	}
	if got := src.ackedMessages(); !slices.IsSortedFunc(got, byValue) {
		t.Error("the second Run was out of order")
	}
}

func messagesOf(s *source) []*kafka.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.given)
}

func byValue(a, b *kafka.Message) int { return slices.Compare(a.Value, b.Value) }

// No answer comes: the stop is bounded, and what was in doubt is sent again by
// the next Run, before anything else.
func TestStopAbandons(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	cfg := c.config()
	cfg.AbandonTimeout = 100 * time.Millisecond
	r := newRig(t, cfg)
	release := c.wire.hold()
	defer release()
	src := newSource(messages("a", 100, 10)...)
	run := r.start(t, src)
	eventually(t, "the batch in the log", func() bool { return c.end("a") == 100 })
	start := time.Now()
	run.cancel(errStop)
	if err := run.wait(); !errors.Is(err, errStop) {
		t.Fatalf("Run returned %v", err)
	}
	if took := time.Since(start); took < cfg.AbandonTimeout || took > 3*time.Second {
		t.Errorf("the stop took %v", took)
	}
	if n := len(src.ackedMessages()); n != 0 {
		t.Errorf("%d records were acknowledged without an answer", n)
	}
	release()
	src.rewind()
	src.give(messages("a", 200, 10)[100:]...)
	r.runAll(t, src)
	if repeats := checkComplete(t, c, "a", src); repeats != 100 {
		t.Errorf("%d records are in the log twice, want the 100 that were in doubt", repeats)
	}
}

// A stop while there is no broker at all, and while one accepts connections but
// says nothing.
func TestStopWithoutBroker(t *testing.T) {
	t.Parallel()
	silent := newDoor(t, newDeaf(t))
	refused, _ := freePort(t)
	for name, addr := range map[string]string{"refused": refused, "silent": silent.addr()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, configFor(addr))
			src := newSource(messages("a", 10, 1)...)
			run := r.start(t, src)
			eventually(t, "all taken", func() bool { return r.Status().Queued == 10 })
			start := time.Now()
			run.cancel(errStop)
			if err := run.wait(); !errors.Is(err, errStop) {
				t.Fatalf("Run returned %v", err)
			}
			if took := time.Since(start); took > time.Second {
				t.Errorf("the stop took %v with nothing in flight", took)
			}
		})
	}
}

// A request that still waits for its connection is not sent after the stop, and
// nobody waits for its answer.
func TestStopBeforeConnected(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	hang := make(chan struct{})
	let := sync.OnceFunc(func() { close(hang) })
	defer let()
	asked := 0
	c.ControlKey(int16(kmsg.ApiVersions), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if asked++; asked > 2 { // the first two are of the connection that only asks
			c.SleepControl(func() { <-hang })
		}
		return nil, nil, false
	})
	src := newSource(messages("a", 10, 1)...)
	run := r.start(t, src)
	eventually(t, "a request at hand", func() bool { return r.Status().Requests == 1 })
	start := time.Now()
	run.cancel(errStop)
	if err := run.wait(); !errors.Is(err, errStop) {
		t.Fatalf("Run returned %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("the stop took %v", took)
	}
	let()
	src.rewind()
	src.give(messages("a", 20, 1)[10:]...)
	r.runAll(t, src)
	if repeats := checkComplete(t, c, "a", src); repeats != 0 {
		t.Errorf("%d records were sent after the stop", repeats)
	}
}

func TestRunTwiceAtOnce(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	src := newSource(messages("a", 1, 1)...)
	run := r.start(t, src)
	src.await(t, 1)
	if err := r.Run(context.Background(), newSource()); err == nil {
		t.Error("a second Run at the same time was let in")
	}
	if err := r.Close(); err == nil {
		t.Error("Close during Run was let in")
	}
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
}

// Run after Run on the same connections.
func TestRunAgain(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.NumBrokers(3), kfake.SeedTopics(3, "a"))
	r := newRig(t, c.config())
	connected := c.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.InitProducerID}, Observe: true, Count: -1,
	})
	for i := range 10 {
		src := newSource(messages("a", 500*(i+1), 50)[500*i:]...)
		r.runAll(t, src)
	}
	if n := connected.Hits(); n != 10 {
		t.Errorf("%d producer ids were taken in 10 Runs", n)
	}
	if n := c.end("a"); n != 5000 {
		t.Errorf("the log holds %d records, want 5000", n)
	}
	if n := c.wire.open(); n > 4 {
		t.Errorf("%d connections are open, want one to each broker and one to ask", n)
	}
}
