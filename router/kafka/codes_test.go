package kafka_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// Every code that a produce request may be answered with, again and again, ends as
// its class says, and names the record. TestRetriableCodes and TestLostProducerCodes
// have those that are sent again.
func TestEveryCodeEndsAsItsClass(t *testing.T) {
	t.Parallel()
	for code, name := range kafka.CodeNames {
		class := kafka.Classify(code)
		if code == 0 || class == kafka.Retriable || class == kafka.LostProducer {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, kfake.SeedTopics(1, "a"))
			r := newRig(t, c.config())
			c.Fault(kfake.Fault{Keys: produceKey, Err: kerr.TypedErrorForCode(int16(code)), Count: -1})
			src := newSource(messages("a", 3, 1)...)
			src.close()
			err := r.start(t, src).wait()
			var config *kafka.ConfigError
			switch class {
			case kafka.Accepted:
				if err != nil {
					t.Errorf("Run returned %v", err)
				}
			case kafka.Misconfigured:
				if !errors.As(err, &config) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), `id "event-0"`) {
					t.Errorf("Run returned %v, want a ConfigError", err)
				}
			default:
				checkRecordError(t, err, src.given[0], name)
			}
		})
	}
}

// A batch that arrives damaged a few times is no poison.
func TestDamageOnTheWayIsRepeated(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.aside())
	c.Fault(kfake.Fault{Keys: produceKey, Topic: "a", Err: kerr.CorruptMessage, Count: 4})
	src := newSource(messages("a", 100, 3)...)
	r.runAll(t, src)
	checkAside(t, c, src)
	if n := r.obs.failed("CORRUPT_MESSAGE"); n != 4 {
		t.Errorf("%d failures were counted, want 4", n)
	}
}

// Without a dead-letter topic, too, a record that is answered so for ever is found.
func TestCorruptMessageForEver(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	c.Fault(kfake.Fault{Keys: produceKey, Topic: "a", Err: kerr.CorruptMessage, Count: -1, When: holdsValue("000070")})
	src := newSource(messages("a", 100, 3)...)
	src.close()
	checkRecordError(t, r.start(t, src).wait(), src.given[70], "CORRUPT_MESSAGE", "cleanup.policy=compact")
	if n := r.obs.failed("CORRUPT_MESSAGE"); n > 5+2*8 {
		t.Errorf("it took %d failures", n)
	}
}
