package kafka_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// holdsValue answers whether a produce request holds those bytes for topic a.
func holdsValue(value string) func(kmsg.Request) bool {
	return func(req kmsg.Request) bool {
		for _, t := range req.(*kmsg.ProduceRequest).Topics {
			for _, p := range t.Partitions {
				if t.Topic == "a" && bytes.Contains(p.Records, []byte(value)) {
					return true
				}
			}
		}
		return false
	}
}

// checkRecordError compares what Run returned with the record it must be about,
// and looks for all of texts in it.
func checkRecordError(t *testing.T, err error, about *kafka.Message, reason string, texts ...string) {
	t.Helper()
	var got *kafka.RecordError
	if !errors.As(err, &got) {
		t.Fatalf("Run returned %v, want a RecordError", err)
	}
	if got.Message != about || got.Reason != reason || got.Topic != about.Topic {
		t.Errorf("got %s about message %s of topic %s, want %s about %s", got.Reason, got.Message.Value, got.Topic, reason, about.Value)
	}
	texts = append(texts, reason, fmt.Sprintf("%q", about.Topic), fmt.Sprintf("LSN 1/%X", uint32(about.LSN)))
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error does not say %q: %v", text, err)
		}
	}
	if got.Hint == "" {
		t.Error("the error gives no way out")
	}
}

// checkStopped: everything before the poison is acknowledged and in the log, the
// poison and what follows it in its partition is not.
func checkStopped(t *testing.T, c *cluster, src *source, poison *kafka.Message) {
	t.Helper()
	at := slices.Index(src.given, poison)
	for i, m := range src.given {
		switch n := src.acked[m]; {
		case i < at && n != 1:
			t.Errorf("message %s before the poison was acknowledged %d times", m.Value, n)
		case i >= at && n != 0 && bytes.Equal(m.Key, poison.Key):
			t.Errorf("message %s was acknowledged although it is not before the poison", m.Value)
		}
	}
	for _, records := range c.log(t, "a", c.end("a")) {
		for _, r := range records {
			if i := slices.IndexFunc(src.given, func(m *kafka.Message) bool {
				return bytes.Equal(m.Value, r.Value) && bytes.Equal(m.Key, poison.Key)
			}); i >= at {
				t.Errorf("the log holds %s, which is not before the poison", r.Value)
			}
		}
	}
}

// The broker refuses a batch and does not say for which record: it is searched.
func TestPoisonIsSearched(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		err  *kerr.Error
		hint string
	}{
		{"INVALID_RECORD", kerr.InvalidRecord, "cleanup.policy=compact"},
		{"INVALID_TIMESTAMP", kerr.InvalidTimestamp, "message.timestamp.after.max.ms"},
		{"POLICY_VIOLATION", kerr.PolicyViolation, "broker's log"},
		{"MESSAGE_TOO_LARGE", kerr.MessageTooLarge, "max.message.bytes"},
		{"RECORD_LIST_TOO_LARGE", kerr.RecordListTooLarge, "max.message.bytes"},
	} {
		for _, at := range []int{0, 1, 499, 700, 999} {
			t.Run(fmt.Sprintf("%s at %d", c.name, at), func(t *testing.T) {
				t.Parallel()
				cl := newCluster(t, kfake.SeedTopics(1, "a"))
				r := newRig(t, cl.config())
				cl.Fault(kfake.Fault{Keys: produceKey, Err: c.err, Count: -1, When: holdsValue(fmt.Sprintf("%06d", at))})
				src := newSource(messages("a", 1000, 1)...)
				src.close()
				poison := src.given[at]
				checkRecordError(t, r.start(t, src).wait(), poison, c.name, c.hint, fmt.Sprintf("id %q", fmt.Sprintf("event-%d", at)))
				checkStopped(t, cl, src, poison)
				if n := cl.end("a"); n != at {
					t.Errorf("the log holds %d records, want %d", n, at)
				}
				if n := r.obs.failed(c.name); n == 0 || n > 11 {
					t.Errorf("%d requests were refused, want one for each halving of 1000 records", n)
				}
				if len(r.obs.rebuilt) != 0 {
					t.Errorf("sequence numbers broke: %v", r.obs.rebuilt)
				}
			})
		}
	}
}

// The broker names the records that are wrong (KIP-467): the first of them counts.
func TestPoisonIsNamedByBroker(t *testing.T) {
	t.Parallel()
	const at = 7
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	refused := 0
	c.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if !holdsValue(fmt.Sprintf("%06d", at))(req) {
			return nil, nil, false
		}
		refused++
		resp := req.ResponseKind().(*kmsg.ProduceResponse)
		topic, partition := kmsg.NewProduceResponseTopic(), kmsg.NewProduceResponseTopicPartition()
		topic.Topic = "a"
		partition.ErrorCode = kerr.InvalidRecord.Code
		for _, index := range []int32{9, at, 8, 1000} {
			e := kmsg.NewProduceResponseTopicPartitionErrorRecord()
			e.RelativeOffset = index
			e.ErrorMessage = kmsg.StringPtr(fmt.Sprintf("record %d is odd", index))
			partition.ErrorRecords = append(partition.ErrorRecords, e)
		}
		topic.Partitions = append(topic.Partitions, partition)
		resp.Topics = append(resp.Topics, topic)
		return resp, nil, true
	})
	src := newSource(messages("a", 20, 1)...)
	src.close()
	poison := src.given[at]
	checkRecordError(t, r.start(t, src).wait(), poison, "INVALID_RECORD", "record 7 is odd")
	checkStopped(t, c, src, poison)
	if refused != 1 {
		t.Errorf("the poison was sent %d times, want once", refused)
	}
}

// Of two poisons in different partitions the one that was given first counts.
func TestFirstPoisonCounts(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.NumBrokers(2), kfake.SeedTopics(2, "a"))
	r := newRig(t, c.config())
	all := messages("a", 200, 1)
	for i, m := range all {
		m.Partition, m.Key = int32(i%2), fmt.Appendf(nil, "partition-%d", i%2)
	}
	for _, at := range []int{100, 101} {
		c.Fault(kfake.Fault{
			Keys: produceKey, Topic: "a", Partitions: []int32{int32(at % 2)},
			Err: kerr.InvalidRecord, Count: -1, When: holdsValue(fmt.Sprintf("%06d", at)),
		})
	}
	src := newSource(all...)
	src.close()
	checkRecordError(t, r.start(t, src).wait(), all[100], "INVALID_RECORD")
	checkStopped(t, c, src, all[100])
}

// After the poison was dealt with, the next Run goes on where this one stopped.
func TestRunAfterPoison(t *testing.T) {
	t.Parallel()
	const at = 300
	c := newCluster(t, kfake.SeedTopics(3, "a"))
	r := newRig(t, c.config())
	c.Fault(kfake.Fault{Keys: produceKey, Topic: "a", Err: kerr.InvalidRecord, Count: -1, When: holdsValue(fmt.Sprintf("%06d", at))})
	src := newSource(messages("a", 1000, 30)...)
	src.close()
	poison := src.given[at]
	err := r.start(t, src).wait()
	var refused *kafka.RecordError
	if !errors.As(err, &refused) {
		t.Fatalf("Run returned %v", err)
	}
	// The fault fails every partition of a request that holds the poison, so a
	// neighbour may be blamed; whoever it is, skipping it must let the rest pass.
	skipped := []*kafka.Message{refused.Message}
	for {
		src.rewind(skipped...)
		err := r.start(t, src).wait()
		if err == nil {
			break
		}
		if !errors.As(err, &refused) {
			t.Fatal(err)
		}
		skipped = append(skipped, refused.Message)
	}
	if !slices.Contains(skipped, poison) {
		t.Error("the poison was not found")
	}
	got := make(map[string][]string)
	for _, records := range c.log(t, "a", c.end("a")) {
		for _, record := range records {
			got[string(record.Key)] = append(got[string(record.Key)], string(record.Value))
		}
	}
	for key, all := range got {
		if !slices.IsSorted(firsts(all)) {
			t.Errorf("key %s is out of order: %v", key, all)
		}
	}
}

// What no broker needs to be asked about is refused before anything is sent,
// once all that came before it is acknowledged.
func TestRefusedLocally(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*router.Record)
		reason string
		text   string
	}{
		{"too large", func(r *router.Record) { r.Value = make([]byte, 1<<20) }, kafka.ReasonTooLarge, "max.request.size"},
		{"no topic", func(r *router.Record) { r.Topic = "" }, kafka.ReasonTopicName, "empty"},
		{"topic with a space", func(r *router.Record) { r.Topic = "Order Item" }, kafka.ReasonTopicName, "' '"},
		{"dots", func(r *router.Record) { r.Topic = ".." }, kafka.ReasonTopicName, `".."`},
		{"long topic", func(r *router.Record) { r.Topic = strings.Repeat("x", 250) }, kafka.ReasonTopicName, "249"},
		{"before 1970", func(r *router.Record) { r.Timestamp = -315619200000 }, kafka.ReasonTimestamp, "-315619200000"},
		{"far future", func(r *router.Record) { r.Timestamp = kafka.MaxTimestamp + 1 }, kafka.ReasonTimestamp, "2262"},
		{"no such partition", func(r *router.Record) { r.Partition = 3 }, kafka.ReasonNoPartition, "0 to 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cl := newCluster(t, kfake.SeedTopics(3, "a"))
			r := newRig(t, cl.config())
			src := newSource(messages("a", 100, 10)...)
			poison := src.given[50]
			c.change(&poison.Record)
			src.close()
			checkRecordError(t, r.start(t, src).wait(), poison, c.reason, c.text)
			if n := cl.end("a"); n != 50 {
				t.Errorf("the log holds %d records, want the 50 before the poison", n)
			}
			checkStopped(t, cl, src, poison)
		})
	}
}

// The largest record that Java's producer would send is sent, one byte more is not.
func TestLargestRecord(t *testing.T) {
	t.Parallel()
	// 61 of batch and 21 of record overhead, key "k", value length, no headers
	const largest = 1<<20 - 61 - 21 - 2 - 3 - 1
	for _, c := range []struct {
		size int
		ok   bool
	}{{largest, true}, {largest + 1, false}} {
		t.Run(fmt.Sprint(c.size), func(t *testing.T) {
			t.Parallel()
			cl := newCluster(t, kfake.SeedTopics(1, "a"))
			r := newRig(t, cl.config())
			src := newSource(&kafka.Message{Record: router.Record{Topic: "a", Partition: -1, Key: []byte("k"), Value: make([]byte, c.size)}})
			src.close()
			if err := r.start(t, src).wait(); (err == nil) != c.ok {
				t.Errorf("Run returned %v", err)
			}
		})
	}
}

// A batch above the topic's own limit is cut smaller, in order, and the smaller
// limit is kept.
func TestSplit(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.NumBrokers(1))
	if err := c.CreateTopic("a", 1, map[string]string{"max.message.bytes": "20000"}); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, c.config())
	src := newSource(messages("a", 20_000, 10)...)
	r.runAll(t, src)
	if repeats := checkComplete(t, c, "a", src); repeats != 0 {
		t.Errorf("%d records are in the log twice", repeats)
	}
	if len(r.obs.rebuilt) != 0 {
		t.Errorf("sequence numbers broke: %v", r.obs.rebuilt)
	}
	if n := r.obs.failed("MESSAGE_TOO_LARGE"); n == 0 || n > 10 {
		t.Errorf("%d batches were refused as too large, want one for each halving", n)
	}
}

// One record above the topic's limit, among others that pass.
func TestRecordLargerThanTopicAllows(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.NumBrokers(1))
	if err := c.CreateTopic("a", 1, map[string]string{"max.message.bytes": "20000"}); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, c.config())
	src := newSource(messages("a", 1000, 10)...)
	poison := src.given[700]
	poison.Value = make([]byte, 30_000)
	src.close()
	checkRecordError(t, r.start(t, src).wait(), poison, "MESSAGE_TOO_LARGE", "bytes", "kafka-configs")
	checkStopped(t, c, src, poison)
}

// The error names the record by id and LSN and shows nothing of its content.
func TestErrorShowsNoContent(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	c.Fault(kfake.Fault{Keys: produceKey, Err: kerr.InvalidRecord, Count: -1})
	m := message("a", "secret-key", 1)
	m.Value = []byte("secret-value")
	src := newSource(m)
	src.close()
	err := r.start(t, src).wait()
	if text := err.Error() + r.log.String(); strings.Contains(text, "secret") {
		t.Errorf("content of the record shows: %s", text)
	}
}
