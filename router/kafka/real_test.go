package kafka_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
)

// The tests of this file run against a real Apache Kafka: what it does differently
// from a fake one is what they are for. Those that start brokers of their own run
// one after the other. -short leaves all of them out.
func needKafka(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a real Kafka")
	}
}

func realConfig(c *kafkaserver.Cluster) kafka.Config {
	return kafka.Config{BootstrapServers: c.Addrs(), RequestTimeout: 10 * time.Second}
}

// A broker that is killed, started again, frozen and woken while records flow:
// everything arrives, in order.
func TestRealKafkaRestarts(t *testing.T) {
	needKafka(t)
	const total, topics, keys = 100_000, 3, 50
	c := kafkatest.New(t, kafkaserver.Config{})
	prefix := kafkatest.UniquePrefix(t)
	for i := range topics {
		kafkatest.Topic(t, c, fmt.Sprint(prefix, i), 6)
	}
	all := make([]*kafka.Message, total)
	for i := range all {
		all[i] = message(fmt.Sprint(prefix, i%topics), fmt.Sprintf("key-%d", i%keys), i)
	}
	r := newRig(t, realConfig(c))
	src := newSource()
	run := r.start(t, src)
	feed := func(from, to int) {
		for at := from; at < to; at += 500 {
			src.give(all[at : at+500]...)
			src.await(t, at-5000) // a bounded queue, as the relay has
		}
	}
	feed(0, 30_000)
	if err := c.Kill(0); err != nil {
		t.Fatal(err)
	}
	src.give(all[30_000:40_000]...)
	eventually(t, "not connected", func() bool { return !r.Status().Connected })
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	if err := c.StartBroker(ctx, 0); err != nil {
		t.Fatal(err)
	}
	feed(40_000, 60_000)
	if err := c.Pause(0); err != nil {
		t.Fatal(err)
	}
	src.give(all[60_000:70_000]...)
	eventually(t, "trouble", func() bool { return !r.Status().RetryingSince.IsZero() })
	if err := c.Resume(0); err != nil {
		t.Fatal(err)
	}
	feed(70_000, total)
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	repeats := 0
	for i := range topics {
		repeats += checkReal(t, c, fmt.Sprint(prefix, i), src)
	}
	t.Logf("%d repeats, failures %v, rebuilt %v", repeats, r.obs.failures, r.obs.rebuilt)
}

// checkReal is checkComplete for a real broker.
func checkReal(t *testing.T, c *kafkaserver.Cluster, topic string, src *source) (repeats int) {
	t.Helper()
	want, given := make(map[string][]string), 0
	for _, m := range src.given {
		if m.Topic == topic {
			want[string(m.Key)] = append(want[string(m.Key)], string(m.Value))
			given++
		}
		if n := src.acked[m]; n != 1 {
			t.Fatalf("message %s was acknowledged %d times", m.Value, n)
		}
	}
	got, total := readReal(t, c, topic)
	for key := range want {
		if first := firsts(got[key]); !slices.Equal(first, want[key]) {
			t.Errorf("topic %s key %s: %d records in order, want %d", topic, key, len(first), len(want[key]))
		}
	}
	return total - given
}

// readReal reads the whole topic, by key.
func readReal(t *testing.T, c *kafkaserver.Cluster, topic string) (byKey map[string][]string, total int) {
	t.Helper()
	client := kafkatest.NewClient(t, c, kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	byKey = make(map[string][]string)
	ends, err := kadm.NewClient(client).ListEndOffsets(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ends.Each(func(o kadm.ListedOffset) { n += int(o.Offset) })
	for _, records := range readLog(t, client, topic, n) {
		for _, r := range records {
			byKey[string(r.Key)] = append(byKey[string(r.Key)], string(r.Value))
		}
	}
	return byKey, n
}

// What a real broker says to records that it will never take.
func TestRealKafkaRefuses(t *testing.T) {
	needKafka(t)
	t.Parallel()
	c := kafkatest.Shared(t)
	for _, tc := range []struct {
		name   string
		config map[string]string
		poison func(*router.Record)
		reason string
	}{
		{
			"no key on a compacted topic",
			map[string]string{"cleanup.policy": "compact"},
			func(r *router.Record) { r.Key, r.Partition = nil, 0 },
			"INVALID_RECORD",
		},
		{
			"larger than the topic allows",
			map[string]string{"max.message.bytes": "3000"},
			func(r *router.Record) { r.Value, r.Partition = make([]byte, 5000), 0 },
			"MESSAGE_TOO_LARGE",
		},
		{
			"timestamp in the future",
			map[string]string{"message.timestamp.after.max.ms": "3600000"},
			func(r *router.Record) { r.Timestamp, r.Partition = time.Now().AddDate(1, 0, 0).UnixMilli(), 0 },
			"INVALID_TIMESTAMP",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			topic := kafkatest.UniquePrefix(t) + "a"
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()
			if err := c.CreateTopic(ctx, topic, 1, 1, tc.config); err != nil {
				t.Fatal(err)
			}
			r := newRig(t, realConfig(c))
			src := newSource(messages(topic, 500, 10)...)
			src.close()
			poison := src.given[300]
			tc.poison(&poison.Record)
			checkRecordError(t, r.start(t, src).wait(), poison, tc.reason)
			if n := len(src.ackedMessages()); n != 300 {
				t.Errorf("%d records were acknowledged, want the 300 before the poison", n)
			}
			src.rewind(poison)
			r.runAll(t, src)
			if _, n := readReal(t, c, topic); n != 499 {
				t.Errorf("the topic holds %d records, want all but the poison", n)
			}
		})
	}
}

func TestRealKafkaTopics(t *testing.T) {
	needKafka(t)
	t.Parallel()
	c := kafkatest.Shared(t)
	prefix := kafkatest.UniquePrefix(t)

	cfg := realConfig(c)
	src := newSource(message(prefix+"ghost", "k", 1))
	src.close()
	checkRecordError(t, newRig(t, cfg).start(t, src).wait(), src.given[0], kafka.ReasonNoTopic)

	cfg.TopicCreation = kafka.TopicCreation{Enable: true, Partitions: 4}
	cfg.CompressionType = "zstd"
	made := newSource(messages(prefix+"made", 1000, 10)...)
	newRig(t, cfg).runAll(t, made)
	if repeats := checkReal(t, c, prefix+"made", made); repeats != 0 {
		t.Errorf("%d records are there twice", repeats)
	}
}

// The producer's state at the broker expires while it is idle; the next record
// still passes. The broker looks for expired states every ten minutes by default.
func TestRealKafkaForgetsProducer(t *testing.T) {
	needKafka(t)
	c := kafkatest.New(t, kafkaserver.Config{Settings: map[string]string{
		"producer.id.expiration.ms":                "500",
		"producer.id.expiration.check.interval.ms": "100",
	}})
	topic := kafkatest.UniquePrefix(t) + "a"
	kafkatest.Topic(t, c, topic, 1)
	r := newRig(t, realConfig(c))
	src := newSource(messages(topic, 100, 10)...)
	run := r.start(t, src)
	src.await(t, 100)
	expired := time.NewTimer(2 * time.Second) // no event tells that the broker has forgotten
	defer expired.Stop()
	<-expired.C
	src.give(messages(topic, 200, 10)[100:]...)
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if repeats := checkReal(t, c, topic, src); repeats != 0 {
		t.Errorf("%d records are there twice", repeats)
	}
}

// Three brokers, each killed in turn: leaders move, min.insync.replicas holds.
func TestRealKafkaLeadersDie(t *testing.T) {
	needKafka(t)
	const total = 60_000
	c := kafkatest.New(t, kafkaserver.Config{Brokers: 3})
	topic := kafkatest.UniquePrefix(t) + "a"
	ctx, cancel := context.WithTimeout(t.Context(), 3*deadline)
	defer cancel()
	if err := c.CreateTopic(ctx, topic, 6, 3, map[string]string{"min.insync.replicas": "2"}); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, realConfig(c))
	all := messages(topic, total, 60)
	src := newSource()
	run := r.start(t, src)
	fed := 0
	feed := func(n int) {
		for end := fed + n; fed < end; fed += 200 {
			src.give(all[fed : fed+200]...)
			src.await(t, fed-2000)
		}
	}
	for i := range 3 {
		feed(total / 6)
		if err := c.Kill(i); err != nil {
			t.Fatal(err)
		}
		feed(total / 6)
		if err := c.StartBroker(ctx, i); err != nil {
			t.Fatal(err)
		}
	}
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	repeats := checkReal(t, c, topic, src)
	t.Logf("%d repeats, failures %v, rebuilt %v", repeats, r.obs.failures, r.obs.rebuilt)
}
