package kafka_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// impatient is the configuration with an errors.retry.timeout of a moment.
func impatient(cfg kafka.Config) kafka.Config {
	cfg.RetryTimeout = 60 * time.Millisecond
	return cfg
}

// Without a dead-letter topic, what fails for too long ends Run with an error that a
// new start may mend: nothing was refused.
func TestRetryTimeoutEndsRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		key  kmsg.Key
		err  *kerr.Error
	}{
		{"sending", kmsg.Produce, kerr.NotEnoughReplicas},
		{"looking up", kmsg.Metadata, kerr.LeaderNotAvailable},
		{"identity", kmsg.InitProducerID, kerr.CoordinatorNotAvailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cl := newCluster(t, kfake.SeedTopics(1, "a"))
			r := newRig(t, impatient(cl.config()))
			cl.Fault(kfake.Fault{Keys: []kmsg.Key{c.key}, Err: c.err, Count: -1})
			checkWorn(t, r.start(t, newSource(messages("a", 10, 1)...)).wait())
		})
	}
}

func checkWorn(t *testing.T, err error) {
	t.Helper()
	var worn *kafka.WornError
	if !errors.As(err, &worn) || !strings.Contains(err.Error(), "errors.retry.timeout is 60ms") {
		t.Errorf("Run returned %v", err)
	}
}

// A cluster that is away takes no dead letters either.
func TestRetryTimeoutWithoutCluster(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a", deadTopic))
	r := newRig(t, impatient(c.aside()))
	src := newSource(messages("a", 10, 1)...)
	run := r.start(t, src)
	src.await(t, 10)
	c.wire.down()
	src.give(messages("a", 20, 1)[10:]...)
	checkWorn(t, run.wait())
}

// Trouble that is shorter changes nothing, however often it comes.
func TestRetryTimeoutIsForEachBatch(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	cfg := impatient(c.config())
	cfg.RetryTimeout = time.Minute
	r := newRig(t, cfg)
	c.Fault(kfake.Fault{Keys: produceKey, Err: kerr.NotEnoughReplicas, Count: 30})
	src := newSource(messages("a", 100, 1)...)
	r.runAll(t, src)
	checkComplete(t, c, "a", src)
}

// One partition stays without replicas: its records go aside once they have waited
// long enough, the other partition's do not notice.
func TestRetryTimeoutGoesAside(t *testing.T) {
	t.Parallel()
	for _, code := range []*kerr.Error{kerr.NotEnoughReplicas, kerr.NotEnoughReplicasAfterAppend, kerr.UnknownServerError} {
		t.Run(code.Message, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, kfake.SeedTopics(2, "a"))
			r := newRig(t, impatient(c.aside()))
			c.Fault(kfake.Fault{Keys: produceKey, Topic: "a", Partitions: []int32{1}, Err: code, Count: -1})
			all := messages("a", 100, 1)
			var poison []*kafka.Message
			for i, m := range all {
				m.Partition, m.Key = int32(i%2), fmt.Appendf(nil, "partition-%d", i%2)
				if i%2 == 1 {
					poison = append(poison, m)
				}
			}
			src := newSource(all...)
			r.runAll(t, src)
			letters := c.deadLetters(t)
			if len(letters) != len(poison) {
				t.Fatalf("%d dead letters, want %d", len(letters), len(poison))
			}
			if text := header(letters[0], "__connect.errors.exception.message"); !strings.Contains(text, "errors.retry.timeout is 60ms") {
				t.Errorf("the letter says %q", text)
			}
		})
	}
}

// A batch is appended, its answer is lost, and then it is refused: an identity that
// is used again under the same numbers would make the next batch a repeat of it, and
// lose it.
func TestRefusedInDoubt(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a", deadTopic))
	r := newRig(t, c.aside())
	all := messages("a", 10, 1)
	src := newSource()
	run := r.start(t, src)
	eventually(t, "the producer is connected", func() bool { return r.Status().Connected })
	var denied *kfake.FaultHandle
	c.wire.onAnswer(func(n int) fate {
		if n != 1 {
			return pass
		}
		denied = c.Fault(kfake.Fault{Keys: produceKey, Topic: "a", Err: kerr.TopicAuthorizationFailed, Count: 1})
		return loseAnswer
	})
	src.give(all[:5]...)
	src.await(t, 5)
	src.give(all[5:]...) // as many again
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if denied == nil || denied.Hits() != 1 {
		t.Fatal("the batch was not refused")
	}
	if repeats := checkComplete(t, c, "a", src); repeats != 0 {
		t.Errorf("%d repeats", repeats)
	}
	if n := len(c.deadLetters(t)); n != 5 {
		t.Errorf("%d dead letters, want those of the batch in doubt", n)
	}
	if r.obs.rebuilt["REFUSED_IN_DOUBT"] != 1 {
		t.Errorf("rebuilt %v", r.obs.rebuilt)
	}
}
