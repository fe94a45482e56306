package kafka_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// A missing topic stops the records behind it, after a few seconds, and names
// itself and the command that makes it; meanwhile other topics flow.
func TestMissingTopic(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	src := newSource(message("ghost", "k", 0), message("a", "k", 1))
	poison := src.given[0]
	run := r.start(t, src)
	src.await(t, 1)
	if got := src.ackedMessages()[0].Topic; got != "a" {
		t.Errorf("topic %s was acknowledged", got)
	}
	checkRecordError(t, run.wait(), poison, kafka.ReasonNoTopic, "kafka-topics", "topic.creation.enable")
}

// A topic that appears while it is being looked for is used.
func TestTopicAppears(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	r := newRig(t, c.config())
	looked := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Observe: true, Count: -1})
	src := newSource(messages("a", 100, 10)...)
	src.close()
	run := r.start(t, src)
	if err := looked.Wait(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	if err := c.CreateTopic("a", 3, nil); err != nil {
		t.Fatal(err)
	}
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	checkComplete(t, c, "a", src)
}

func TestTopicIsCreated(t *testing.T) {
	t.Parallel()
	for _, brokers := range []int{1, 3} { // of three, most are not the controller
		t.Run(fmt.Sprint(brokers), func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, kfake.NumBrokers(brokers))
			cfg := c.config()
			cfg.TopicCreation = kafka.TopicCreation{Enable: true, Partitions: 5, ReplicationFactor: 1}
			r := newRig(t, cfg)
			src := newSource(append(messages("a", 100, 10), messages("b", 100, 10)...)...)
			r.runAll(t, src)
			for _, topic := range []string{"a", "b"} {
				checkComplete(t, c, topic, src)
				if n := len(c.PartitionInfos(topic)); n != 5 {
					t.Errorf("topic %s has %d partitions, want 5", topic, n)
				}
			}
		})
	}
}

func TestTopicIsCreatedAfterFaults(t *testing.T) {
	t.Parallel()
	for _, code := range []*kerr.Error{kerr.NotController, kerr.ThrottlingQuotaExceeded, kerr.RequestTimedOut, kerr.TopicAlreadyExists, kerr.InvalidReplicationFactor} {
		t.Run(code.Message, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			cfg := c.config()
			cfg.TopicCreation.Enable = true
			r := newRig(t, cfg)
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Err: code, Count: 2})
			src := newSource(messages("a", 100, 10)...)
			r.runAll(t, src)
			checkComplete(t, c, "a", src)
		})
	}
}

func TestTopicCannotBeCreated(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  *kerr.Error
		hint string
	}{
		{kerr.PolicyViolation, "broker's log"},
		{kerr.InvalidPartitions, "topic.creation.default.partitions"},
		{kerr.ClusterAuthorizationFailed, "grant Create"},
		{kerr.TopicAuthorizationFailed, "kafka-acls"},
	} {
		t.Run(c.err.Message, func(t *testing.T) {
			t.Parallel()
			cl := newCluster(t, kfake.SeedTopics(1, "other"))
			cfg := cl.config()
			cfg.TopicCreation.Enable = true
			r := newRig(t, cfg)
			cl.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Err: c.err, Count: -1})
			src := newSource(message("other", "k", 0), message("a", "k", 1))
			src.close()
			checkRecordError(t, r.start(t, src).wait(), src.given[1], c.err.Message, c.hint)
			if src.acked[src.given[0]] != 1 {
				t.Error("the record before it was not acknowledged")
			}
		})
	}
}

// Not allowed to write, or even to see the topic.
func TestTopicRefused(t *testing.T) {
	t.Parallel()
	for _, key := range []kmsg.Key{kmsg.Produce, kmsg.Metadata} {
		for _, code := range []*kerr.Error{kerr.TopicAuthorizationFailed, kerr.InvalidTopicException} {
			t.Run(fmt.Sprintf("%s from %s", code.Message, kmsg.NameForKey(int16(key))), func(t *testing.T) {
				t.Parallel()
				c := newCluster(t, kfake.SeedTopics(3, "a", "b"))
				r := newRig(t, c.config())
				c.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Topic: "a", Err: code, Count: -1})
				all := messages("b", 10, 10)
				for i := range 10 {
					all = append(all, message("a", fmt.Sprintf("key-%d", i), 100+i))
				}
				src := newSource(all...)
				src.close()
				checkRecordError(t, r.start(t, src).wait(), all[10], code.Message)
				for _, m := range all[:10] {
					if src.acked[m] != 1 {
						t.Errorf("message %s before it was not acknowledged", m.Value)
					}
				}
			})
		}
	}
}

// Deleted while in use, with nobody to make it again.
func TestTopicDeleted(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(2, "a"))
	r := newRig(t, c.config())
	src := newSource(messages("a", 100, 10)...)
	run := r.start(t, src)
	src.await(t, 100)
	if err := c.DeleteTopic("a"); err != nil {
		t.Fatal(err)
	}
	more := messages("a", 110, 10)[100:]
	src.give(more...)
	checkRecordError(t, run.wait(), more[0], kafka.ReasonNoTopic)
}

func TestTopicDeletedAndCreatedAgain(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(2, "a"), kfake.DefaultNumPartitions(2))
	cfg := c.config()
	cfg.TopicCreation.Enable = true
	r := newRig(t, cfg)
	src := newSource(messages("a", 100, 10)...)
	run := r.start(t, src)
	src.await(t, 100)
	if err := c.DeleteTopic("a"); err != nil {
		t.Fatal(err)
	}
	src.give(messages("a", 200, 10)[100:]...)
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if n := c.end("a"); n != 100 {
		t.Errorf("the new topic holds %d records, want 100", n)
	}
}

// Made again with fewer partitions: keys belong elsewhere now, so Run ends with an
// error that a new start mends.
func TestTopicShrinks(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(4, "a"))
	r := newRig(t, c.config())
	src := newSource(messages("a", 100, 20)...)
	run := r.start(t, src)
	src.await(t, 100)
	if err := c.DeleteTopic("a"); err != nil {
		t.Fatal(err)
	}
	if err := c.CreateTopic("a", 2, nil); err != nil {
		t.Fatal(err)
	}
	src.give(messages("a", 200, 20)[100:]...)
	src.close()
	if err := run.wait(); err == nil {
		t.Fatal("Run did not notice")
	}
	src.rewind()
	if err := r.start(t, src).wait(); err != nil {
		t.Fatal(err)
	}
	if n := c.end("a"); n < 100 {
		t.Errorf("the topic holds %d records, want 100 or more", n)
	}
}

// A partition that was added later can be used at once.
func TestTopicGrows(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(2, "a"))
	r := newRig(t, c.config())
	src := newSource(messages("a", 100, 10)...)
	run := r.start(t, src)
	src.await(t, 100)
	grow := kmsg.NewPtrCreatePartitionsRequest()
	topic := kmsg.NewCreatePartitionsRequestTopic()
	topic.Topic, topic.Count = "a", 3
	grow.Topics = append(grow.Topics, topic)
	c.request(t, grow)
	m := message("a", "k", 100)
	m.Partition = 2
	src.give(m)
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if got := values(c.log(t, "a", 101)[2]); !slices.Equal(got, []string{"000100"}) {
		t.Errorf("partition 2 holds %v", got)
	}
}

// No leader for a while: waited for, without an error.
func TestNoLeader(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(2, "a"))
	r := newRig(t, c.config())
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Topic: "a", Err: kerr.LeaderNotAvailable, Count: 20})
	src := newSource(messages("a", 100, 10)...)
	r.runAll(t, src)
	checkComplete(t, c, "a", src)
	if r.obs.failed("LEADER_NOT_AVAILABLE") == 0 {
		t.Error("that it lasted was not counted")
	}
	eventually(t, "recovered", func() bool { return r.Status().RetryingSince.IsZero() })
}

func TestExplicitPartition(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(4, "a"))
	r := newRig(t, c.config())
	all := messages("a", 40, 7)
	for i, m := range all {
		m.Partition = int32(i % 4)
	}
	src := newSource(all...)
	r.runAll(t, src)
	for p, records := range c.log(t, "a", 40) {
		for i, record := range records {
			if want := string(all[i*4+int(p)].Value); string(record.Value) != want {
				t.Errorf("partition %d record %d is %s, want %s", p, i, record.Value, want)
			}
		}
	}
}

// Records without a key share batches, and over time use every partition.
func TestNullKeysAreSpread(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(4, "a"))
	r := newRig(t, c.config())
	src := newSource()
	run := r.start(t, src)
	const rounds, each = 100, 10
	for round := range rounds {
		for _, m := range messages("a", each, 1) {
			m.Key = nil
			src.give(m)
		}
		src.await(t, (round+1)*each)
	}
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if n := len(c.log(t, "a", rounds*each)); n != 4 {
		t.Errorf("%d of 4 partitions were used", n)
	}
	if n := r.obs.batches; n > 4*rounds*each/5 {
		t.Errorf("%d records went out in %d batches", rounds*each, n)
	}
}

func TestLinger(t *testing.T) {
	t.Parallel()
	const linger = 300 * time.Millisecond
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	cfg := c.config()
	cfg.Linger, cfg.BatchSize = linger, 1000
	r := newRig(t, cfg)
	src := newSource()
	run := r.start(t, src)
	start := time.Now()
	for _, m := range messages("a", 5, 1) {
		src.give(m)
	}
	src.await(t, 5)
	if took := time.Since(start); took < linger {
		t.Errorf("a batch that was not full left after %v", took)
	}
	if n := r.obs.batches; n != 1 {
		t.Errorf("5 records that could wait for each other went out in %d batches", n)
	}
	start = time.Now()
	src.give(messages("a", 1000, 1)...) // full batches leave at once
	src.await(t, 5+900)
	if took := time.Since(start); took > 10*linger {
		t.Errorf("full batches waited: %v", took)
	}
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
}
