package kafka_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The dead-letter topic is made at the start, for records larger than the brokers'
// limit, and without that where the brokers do not allow it.
func TestDeadLetterTopicIsMade(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		refused *kerr.Error
		want    string // max.message.bytes, empty for the brokers'
	}{
		{"with its limit", nil, "103809024"},
		{"limit refused", kerr.InvalidConfig, ""},
		{"limit against a policy", kerr.PolicyViolation, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cl := newCluster(t, kfake.SeedTopics(1, "a"), kfake.DefaultNumPartitions(6))
			r := newRig(t, cl.aside())
			if c.refused != nil {
				cl.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Err: c.refused, Count: 1})
			}
			src := newSource()
			run := r.start(t, src)
			eventually(t, "the topic is there", func() bool { return len(cl.PartitionInfos(deadTopic)) > 0 })
			src.close()
			if err := run.wait(); err != nil {
				t.Fatal(err)
			}
			if n := len(cl.PartitionInfos(deadTopic)); n != 1 {
				t.Errorf("%d partitions, want 1", n)
			}
			got := ""
			if v := cl.TopicInfo(deadTopic).Configs["max.message.bytes"]; v != nil {
				got = *v
			}
			if got != c.want {
				t.Errorf("max.message.bytes is %q, want %q", got, c.want)
			}
		})
	}
}

// A dead-letter topic that cannot be used is a mistake in the configuration, found
// at the start.
func TestDeadLetterTopicIsRefusedAtStart(t *testing.T) {
	t.Parallel()
	for _, key := range []kmsg.Key{kmsg.Metadata, kmsg.CreateTopics} {
		t.Run(kmsg.NameForKey(int16(key)), func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, kfake.SeedTopics(1, "a"))
			r := newRig(t, c.aside())
			c.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Topic: deadTopic, Err: kerr.TopicAuthorizationFailed, Count: -1})
			err := r.start(t, newSource()).wait()
			checkConfigError(t, err, "errors.deadletterqueue.topic.name", "TOPIC_AUTHORIZATION_FAILED")
		})
	}
}

// What the dead-letter topic refuses too ends Run after all, and everything before
// it is acknowledged.
func TestDeadLetterIsRefused(t *testing.T) {
	t.Parallel()
	const at = 300
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	if err := c.CreateTopic(deadTopic, 1, map[string]string{"max.message.bytes": "20000"}); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, c.aside())
	src := newSource(messages("a", 1000, 1)...)
	src.given[100].Topic = "Order Item" // goes aside
	poison := src.given[at]
	poison.Value = bytes.Repeat([]byte("x"), 2<<20)
	src.close()
	err := r.start(t, src).wait()
	var text string
	if err != nil {
		text = err.Error()
	}
	for _, want := range []string{`topic "dead"`, "MESSAGE_TOO_LARGE", `id "event-300"`, "LSN 1/12C", `meant for topic "a"`, "RECORD_TOO_LARGE", "max.message.bytes"} {
		if !strings.Contains(text, want) {
			t.Errorf("the error does not say %q: %s", want, text)
		}
	}
	for i, m := range src.given[:at] {
		if src.acked[m] != 1 {
			t.Errorf("message %d before it was acknowledged %d times", i, src.acked[m])
		}
	}
	if src.acked[poison] != 0 {
		t.Error("the poison was acknowledged")
	}
}

// The poison is acknowledged only when its dead letter is; the rest does not wait.
func TestPoisonWaitsForItsDeadLetter(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "a", deadTopic))
	r := newRig(t, c.aside())
	stuck := c.Fault(kfake.Fault{Keys: produceKey, Topic: deadTopic, Err: kerr.NotEnoughReplicas, Count: -1})
	src := newSource(messages("a", 100, 1)...)
	poison := src.given[10]
	poison.Topic = "Order Item"
	run := r.start(t, src)
	src.await(t, 99)
	if stuck.Hits() == 0 {
		eventually(t, "the dead letter was tried", func() bool { return stuck.Hits() > 0 })
	}
	for _, m := range src.ackedMessages() {
		if m == poison {
			t.Fatal("the poison was acknowledged before its dead letter")
		}
	}
	stuck.Remove()
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	checkAside(t, c, src, poison)
}

// While many dead letters wait, no more records are taken: memory stays bounded.
func TestBuriedAreBounded(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a", deadTopic))
	r := newRig(t, c.aside())
	stuck := c.Fault(kfake.Fault{Keys: produceKey, Topic: deadTopic, Err: kerr.NotEnoughReplicas, Count: -1})
	all := messages("a", 10_000, 10)
	for _, m := range all {
		m.Topic = "Order Item"
	}
	src := newSource(all...)
	run := r.start(t, src)
	eventually(t, "the dead letters were tried", func() bool { return stuck.Hits() > 10 })
	if s := r.Status(); s.Queued+s.InFlight < 1024 || s.Queued+s.InFlight > 2048 {
		t.Errorf("%d records are held, want between 1024 and one Take more", s.Queued+s.InFlight)
	}
	stuck.Remove()
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	checkAside(t, c, src, all...)
}

// The first line at once, then silence for a while; every one, and what is in it but
// the value, where that is wanted.
func TestDeadLettersAreLogged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		each, record bool
		lines        int
		key          bool
	}{{false, false, 1, false}, {true, false, 5, false}, {true, true, 5, true}} {
		t.Run(fmt.Sprint(c.each, c.record), func(t *testing.T) {
			t.Parallel()
			cl := newCluster(t, kfake.SeedTopics(1, "a"))
			cfg := cl.aside()
			cfg.DeadLetters.LogEach, cfg.DeadLetters.LogRecord = c.each, c.record
			r := newRig(t, cfg)
			all := messages("a", 5, 1)
			for _, m := range all {
				m.Topic, m.Value = "Order Item", []byte("secret")
			}
			src := newSource(all...)
			r.runAll(t, src)
			log := r.log.String()
			if n := strings.Count(log, "dead-letter topic"); n != c.lines {
				t.Errorf("%d lines, want %d", n, c.lines)
			}
			if strings.Contains(log, "secret") {
				t.Error("the value is in the log")
			}
			if strings.Contains(log, "key-0") != c.key {
				t.Errorf("the key is in the log or not, want %v", c.key)
			}
			for _, want := range []string{`"id":"event-0"`, `"lsn":"1/0"`, `"reason":"INVALID_TOPIC_EXCEPTION"`, `"topic":"Order Item"`} {
				if !strings.Contains(log, want) {
					t.Errorf("the log does not say %s", want)
				}
			}
		})
	}
}
