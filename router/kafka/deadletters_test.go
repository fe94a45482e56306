package kafka_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

const deadTopic = "dead"

// aside is the configuration with a dead-letter topic.
func (c *cluster) aside() kafka.Config {
	cfg := c.config()
	cfg.DeadLetters = kafka.DeadLetters{Topic: deadTopic, Context: true, Connector: "slot"}
	return cfg
}

// deadLetters are the records of the dead-letter topic in their order.
func (c *cluster) deadLetters(t testing.TB) []*kgo.Record {
	t.Helper()
	var all []*kgo.Record
	for _, records := range c.log(t, deadTopic, c.end(deadTopic)) {
		all = append(all, records...)
	}
	return all
}

// header is a header's text, and "(none)" if there is none.
func header(r *kgo.Record, name string) string {
	for _, h := range r.Headers {
		if h.Key == name {
			return string(h.Value)
		}
	}
	return "(none)"
}

// checkAside demands that exactly these messages are dead letters, whole and in this
// order, that all others of topic a arrived once and in order, and that everything
// was acknowledged once.
func checkAside(t *testing.T, c *cluster, src *source, poison ...*kafka.Message) {
	t.Helper()
	letters := c.deadLetters(t)
	if len(letters) != len(poison) {
		t.Fatalf("%d dead letters, want %d", len(letters), len(poison))
	}
	for i, m := range poison {
		if r := letters[i]; !bytes.Equal(r.Value, m.Value) || !bytes.Equal(r.Key, m.Key) || header(r, "id") != string(m.Headers[0].Value) {
			t.Errorf("dead letter %d is %s of %s, want %s", i, header(r, "id"), r.Key, m.Headers[0].Value)
		}
	}
	for _, m := range src.given {
		if n := src.acked[m]; n != 1 {
			t.Errorf("message %.6s was acknowledged %d times", m.Value, n)
		}
	}
	src.given = slices.DeleteFunc(src.given, func(m *kafka.Message) bool { return slices.Contains(poison, m) })
	if repeats := checkComplete(t, c, "a", src); repeats != 0 {
		t.Errorf("%d records are in the log twice", repeats)
	}
}

func TestDeadLetterCarriesConnectsHeaders(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.aside())
	c.Fault(kfake.Fault{Keys: produceKey, Topic: "a", Err: kerr.InvalidRecord, Count: -1, When: holdsValue("000001")})
	src := newSource(messages("a", 3, 1)...)
	poison := src.given[1]
	r.runAll(t, src)
	checkAside(t, c, src, poison)
	letter := c.deadLetters(t)[0]
	var got []string
	for _, h := range letter.Headers {
		got = append(got, h.Key+"="+string(h.Value))
	}
	const prefix, exception = "__connect.errors.", "org.apache.kafka.common.InvalidRecordException"
	message := strings.TrimPrefix(got[9], prefix+"exception.message=")
	want := []string{
		"id=event-1", prefix + "topic=a", prefix + "partition=0", prefix + fmt.Sprintf("offset=%d", poison.LSN), prefix + "connector.name=slot",
		prefix + "task.id=0", prefix + "stage=KAFKA_PRODUCE", prefix + "class.name=org.apache.kafka.connect.runtime.WorkerSourceTask",
		prefix + "exception.class.name=" + exception, prefix + "exception.message=" + message,
		prefix + "exception.stacktrace=" + exception + ": " + message + "\n",
	}
	if !slices.Equal(got, want) {
		t.Errorf("headers are\n%q, want\n%q", got, want)
	}
	if !strings.HasPrefix(message, "INVALID_RECORD: ") {
		t.Errorf("the message is %q", message)
	}
	if letter.Timestamp.UnixMilli() != poison.Timestamp {
		t.Errorf("the timestamp is %v, want %d", letter.Timestamp, poison.Timestamp)
	}
	if r.obs.buried["INVALID_RECORD"] != 1 {
		t.Errorf("counted %v", r.obs.buried)
	}
}

func TestDeadLetterWithoutContext(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	cfg := c.aside()
	cfg.DeadLetters.Context = false
	r := newRig(t, cfg)
	c.Fault(kfake.Fault{Keys: produceKey, Topic: "a", Err: kerr.InvalidRecord, Count: -1, When: holdsValue("000001")})
	src := newSource(messages("a", 3, 1)...)
	r.runAll(t, src)
	if n := len(c.deadLetters(t)[0].Headers); n != 1 {
		t.Errorf("%d headers, want the record's own", n)
	}
}

// Every kind of refusal that is about one record, at every place in a batch.
func TestPoisonGoesAside(t *testing.T) {
	t.Parallel()
	for _, code := range []*kerr.Error{
		kerr.InvalidRecord, kerr.InvalidTimestamp, kerr.PolicyViolation, kerr.MessageTooLarge, kerr.RecordListTooLarge, kerr.CorruptMessage,
	} {
		for _, at := range []int{0, 499, 999} {
			t.Run(fmt.Sprintf("%s at %d", code.Message, at), func(t *testing.T) {
				t.Parallel()
				c := newCluster(t, kfake.SeedTopics(1, "a"))
				r := newRig(t, c.aside())
				c.Fault(kfake.Fault{Keys: produceKey, Topic: "a", Err: code, Count: -1, When: holdsValue(fmt.Sprintf("%06d", at))})
				src := newSource(messages("a", 1000, 3)...)
				poison := src.given[at]
				r.runAll(t, src)
				checkAside(t, c, src, poison)
				if n := r.obs.buried[code.Message]; n != 1 {
					t.Errorf("counted %v", r.obs.buried)
				}
			})
		}
	}
}

// What the producer refuses by itself.
func TestLocallyRefusedGoesAside(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, reason string
		change       func(*kafka.Message)
	}{
		{"too large", kafka.ReasonTooLarge, func(m *kafka.Message) { m.Value = bytes.Repeat([]byte("x"), 2<<20) }},
		{"topic with a space", kafka.ReasonTopicName, func(m *kafka.Message) { m.Topic = "Order Item" }},
		{"no topic", kafka.ReasonTopicName, func(m *kafka.Message) { m.Topic = "" }},
		{"before 1970", kafka.ReasonTimestamp, func(m *kafka.Message) { m.Timestamp = -315619200000 }},
		{"no such partition", kafka.ReasonNoPartition, func(m *kafka.Message) { m.Partition = 3 }},
		{"no such topic", kafka.ReasonNoTopic, func(m *kafka.Message) { m.Topic = "ghost" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cl := newCluster(t, kfake.SeedTopics(3, "a"))
			r := newRig(t, cl.aside())
			src := newSource(messages("a", 100, 10)...)
			poison := src.given[50]
			c.change(poison)
			topic := poison.Topic
			r.runAll(t, src)
			checkAside(t, cl, src, poison)
			letter := cl.deadLetters(t)[0]
			if header(letter, "__connect.errors.topic") != topic || letter.Timestamp.UnixMilli() < 0 {
				t.Errorf("the letter is for topic %q, of %v", header(letter, "__connect.errors.topic"), letter.Timestamp)
			}
			if r.obs.buried[c.reason] != 1 {
				t.Errorf("counted %v", r.obs.buried)
			}
		})
	}
}

// A whole topic that takes nothing: nobody waits for it, and it is not asked in a
// tight loop.
func TestRefusedTopicGoesAside(t *testing.T) {
	t.Parallel()
	for _, key := range []kmsg.Key{kmsg.Produce, kmsg.Metadata} {
		t.Run(kmsg.NameForKey(int16(key)), func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, kfake.SeedTopics(2, "a", "b"))
			r := newRig(t, c.aside())
			c.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Topic: "b", Err: kerr.TopicAuthorizationFailed, Count: -1})
			all := messages("a", 2000, 10)
			for i := 1; i < len(all); i += 2 {
				all[i].Topic = "b"
			}
			src := newSource(all...)
			r.runAll(t, src)
			if n := len(c.deadLetters(t)); n != 1000 {
				t.Errorf("%d dead letters, want 1000", n)
			}
			checkComplete(t, c, "a", src)
			if n := r.obs.failed("TOPIC_AUTHORIZATION_FAILED"); n > 40 {
				t.Errorf("the topic was asked for %d times", n)
			}
		})
	}
}
