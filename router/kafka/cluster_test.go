package kafka_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// deadline bounds every wait of a test; nothing comes near it when it passes.
const deadline = 2 * time.Minute

// cluster is a fake Kafka whose connections go through a wire.
type cluster struct {
	*kfake.Cluster
	wire *wire
}

func newCluster(t testing.TB, opts ...kfake.Opt) *cluster {
	t.Helper()
	w := newWire()
	opts = append([]kfake.Opt{kfake.NumBrokers(1), kfake.ListenFn(w.listen)}, opts...)
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &cluster{Cluster: c, wire: w}
}

// config has short pauses, so that tests of retries take no time.
func (c *cluster) config() kafka.Config { return configFor(c.ListenAddrs()...) }

func configFor(addrs ...string) kafka.Config {
	return kafka.Config{
		BootstrapServers: addrs,
		RetryBackoff:     2 * time.Millisecond,
		RetryBackoffMax:  20 * time.Millisecond,
		RequestTimeout:   5 * time.Second,
	}
}

// log reads a topic's partitions from their beginning, n records in all, with a
// client that is not sarama.
func (c *cluster) log(t testing.TB, topic string, n int) map[int32][]*kgo.Record {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	return readLog(t, client, topic, n)
}

func readLog(t testing.TB, client *kgo.Client, topic string, n int) map[int32][]*kgo.Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	found := make(map[int32][]*kgo.Record)
	for count := 0; count < n; {
		fetches := client.PollFetches(ctx)
		fetches.EachError(func(_ string, p int32, err error) {
			if ctx.Err() == nil {
				t.Errorf("read partition %d of %s: %v", p, topic, err)
			}
		})
		if ctx.Err() != nil {
			for p, records := range found {
				t.Logf("partition %d: %d records read", p, len(records))
			}
			t.Fatalf("read %d of %d records of %s", count, n, topic)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			found[r.Partition] = append(found[r.Partition], r)
			count++
		})
	}
	return found
}

// end is how many records a topic holds.
func (c *cluster) end(topic string) int {
	n := int64(0)
	for _, p := range c.PartitionInfos(topic) {
		n += p.HighWatermark
	}
	return int(n)
}

// values are the records' values as text.
func values(records []*kgo.Record) []string {
	var out []string
	for _, r := range records {
		out = append(out, string(r.Value))
	}
	return out
}

// firsts drops all but the first appearance of each.
func firsts(all []string) []string {
	seen := make(map[string]bool)
	return slices.DeleteFunc(slices.Clone(all), func(v string) bool {
		again := seen[v]
		seen[v] = true
		return again
	})
}

// today is when records say they were made. A real broker deletes what is older
// than its retention time, by this very timestamp.
var today = time.Now().UnixMilli()

// message is a keyed message whose value is its number.
func message(topic, key string, n int) *kafka.Message {
	return &kafka.Message{
		Record: router.Record{
			Topic: topic, Partition: router.ByKey, Key: []byte(key), Value: fmt.Appendf(nil, "%06d", n),
			Headers:   []router.Header{{Key: "id", Value: fmt.Appendf(nil, "event-%d", n)}},
			Timestamp: today + int64(n),
		},
		LSN: 0x1_0000_0000 + uint64(n),
	}
}

// messages are numbered from 0; keys go round.
func messages(topic string, n, keys int) []*kafka.Message {
	out := make([]*kafka.Message, n)
	for i := range out {
		out[i] = message(topic, fmt.Sprintf("key-%d", i%keys), i)
	}
	return out
}

// observer counts what a Producer tells.
type observer struct {
	mu       sync.Mutex
	acked    map[string]int
	attempts int
	batches  int
	failures map[string]int
	rebuilt  map[string]int
	buried   map[string]int
	sent     map[string]int // batches, by topic
	refused  map[string]int // as above
}

func newObserver() *observer {
	return &observer{
		acked: map[string]int{}, failures: map[string]int{}, rebuilt: map[string]int{},
		buried: map[string]int{}, sent: map[string]int{}, refused: map[string]int{},
	}
}

func (o *observer) Acked(topic string, records, bytes int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.acked[topic] += records
}

func (o *observer) Attempt(batches int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.attempts++
	o.batches += batches
}

func (o *observer) Failure(reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failures[reason]++
}

func (o *observer) Rebuilt(reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rebuilt[reason]++
}

func (o *observer) Buried(reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buried[reason]++
}

func (o *observer) Sent(topic string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent[topic]++
}

func (o *observer) Failed(topic string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refused[topic]++
}

func (o *observer) failed(reason string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failures[reason]
}

// syncBuffer takes log lines from one goroutine while a test reads them.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// rig is a Producer under test, with what it tells.
type rig struct {
	*kafka.Producer
	obs *observer
	log *syncBuffer
}

func newRig(t testing.TB, cfg kafka.Config) *rig {
	t.Helper()
	r := &rig{obs: newObserver(), log: &syncBuffer{}}
	p, err := kafka.New(cfg, zerolog.New(r.log), r.obs)
	if err != nil {
		t.Fatal(err)
	}
	r.Producer = p
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(r.log.String())
		}
	})
	return r
}

// running is a Run under way.
type running struct {
	t      testing.TB
	cancel context.CancelCauseFunc
	done   chan error
}

// start calls Run; it is stopped and waited for at the latest when the test ends.
func (r *rig) start(t testing.TB, src kafka.Source) *running {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	run := &running{t: t, cancel: cancel, done: make(chan error, 1)}
	var ended sync.WaitGroup
	ended.Go(func() { run.done <- r.Run(ctx, src) })
	t.Cleanup(func() {
		cancel(context.Canceled)
		ended.Wait()
	})
	return run
}

// wait returns what Run returned.
func (r *running) wait() error {
	r.t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(deadline):
		r.t.Fatal("Run did not return")
		return nil
	}
}

// runAll sends all that src holds, which must succeed.
func (r *rig) runAll(t testing.TB, src *source) {
	t.Helper()
	src.close()
	if err := r.start(t, src).wait(); err != nil {
		t.Fatal(err)
	}
}

// await waits until src has n acknowledgements.
func (s *source) await(t testing.TB, n int) {
	t.Helper()
	timeout := time.After(deadline)
	for {
		changed := s.change()
		if len(s.ackedMessages()) >= n {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("%d of %d messages acknowledged", len(s.ackedMessages()), n)
		}
	}
}

// eventually polls a condition that gives no event of its own.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(deadline)
	for !ok() {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("not in time: %s", what)
		}
	}
}

// checkComplete compares each partition's log with what was given for it: first
// appearances in the given order, all of them acknowledged; it returns how many
// records are in the log twice.
func checkComplete(t testing.TB, c *cluster, topic string, src *source) (repeats int) {
	t.Helper()
	want := make(map[string][]string) // by key
	given := make(map[string]bool)
	for _, m := range src.given {
		if m.Topic != topic {
			continue
		}
		want[string(m.Key)] = append(want[string(m.Key)], string(m.Value))
		given[string(m.Value)] = true
		if n := src.acked[m]; n != 1 {
			t.Fatalf("message %s was acknowledged %d times", m.Value, n)
		}
	}
	got := make(map[string][]string)
	total := 0
	for _, records := range c.log(t, topic, c.end(topic)) {
		for _, r := range records {
			if !given[string(r.Value)] {
				t.Errorf("the log holds %s, which nobody gave", r.Value)
			}
			got[string(r.Key)] = append(got[string(r.Key)], string(r.Value))
			total++
		}
	}
	for key := range want {
		if first := firsts(got[key]); !slices.Equal(first, want[key]) {
			t.Errorf("key %s: order differs\n got %v\nwant %v", key, first, want[key])
		}
	}
	return total - len(given)
}

// request sends any request to the cluster.
func (c *cluster) request(t testing.TB, req kmsg.Request) kmsg.Response {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	resp, err := client.Request(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}
