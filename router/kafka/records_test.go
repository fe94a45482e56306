package kafka_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// Each record arrives as it was given: null and empty apart, headers in order
// with duplicates, timestamps forwards and backwards within a batch.
func TestRecordsArriveAsGiven(t *testing.T) {
	t.Parallel()
	records := []router.Record{
		{Key: nil, Value: nil, Timestamp: 1000, Headers: []router.Header{{Key: "", Value: []byte("the first header of all, without a name")}}},
		{Key: []byte{}, Value: []byte{}, Timestamp: 0},
		{Key: []byte("k"), Value: nil, Timestamp: 2_000_000_000_000},
		{Key: nil, Value: []byte("v"), Timestamp: 999},
		{Key: []byte{0, 255, 10}, Value: []byte("null"), Timestamp: kafka.MaxTimestamp},
		{
			Key: []byte("k"), Value: []byte("v"), Timestamp: 1,
			Headers: []router.Header{
				{Key: "id", Value: []byte("1")},
				{Key: "empty", Value: []byte{}},
				{Key: "null", Value: nil},
				{Key: "id", Value: []byte("2")},
				{Key: "", Value: []byte("no name")},
				{Key: "ключ", Value: []byte{0}},
			},
		},
		{Key: []byte("k"), Value: []byte(strings.Repeat("long", 100_000)), Timestamp: 3},
	}
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	src := newSource()
	for _, record := range records {
		record.Topic, record.Partition = "a", router.ByKey
		src.give(&kafka.Message{Record: record})
	}
	r.runAll(t, src)
	for i, got := range c.log(t, "a", len(records))[0] {
		want := records[i]
		if diff := cmp.Diff(want.Key, got.Key); diff != "" {
			t.Errorf("record %d: key differs: %s", i, diff)
		}
		if diff := cmp.Diff(want.Value, got.Value); diff != "" {
			t.Errorf("record %d: value differs: %s", i, diff)
		}
		if diff := cmp.Diff(kgoHeaders(want.Headers), got.Headers); diff != "" {
			t.Errorf("record %d: headers differ: %s", i, diff)
		}
		if ms := got.Timestamp.UnixMilli(); ms != want.Timestamp {
			t.Errorf("record %d: timestamp %d, want %d", i, ms, want.Timestamp)
		}
	}
}

func kgoHeaders(headers []router.Header) []kgo.RecordHeader {
	var out []kgo.RecordHeader
	for _, h := range headers {
		out = append(out, kgo.RecordHeader{Key: h.Key, Value: h.Value})
	}
	return out
}

// A header's name must not be null, which brokers let pass and consumers choke on.
// Clients read a null name as an empty one, so the bytes themselves are compared.
func TestEmptyHeaderNameIsNotNull(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	var sent []byte
	c.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		sent = req.(*kmsg.ProduceRequest).Topics[0].Partitions[0].Records
		return nil, nil, false
	})
	m := message("a", "k", 1)
	m.Headers = []router.Header{{}}
	r.runAll(t, newSource(m))
	// one header, name of length 0, value of length -1, as zigzag varints
	if want := []byte{2, 0, 1}; !bytes.HasSuffix(sent, want) {
		t.Errorf("the record ends in %v, want %v", sent[max(0, len(sent)-3):], want)
	}
}

// A record without a timestamp gets the time at which it was taken.
func TestNoTimestamp(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	m := message("a", "k", 1)
	m.Timestamp = kafka.NoTimestamp
	before := time.Now().UnixMilli()
	r.runAll(t, newSource(m))
	got := c.log(t, "a", 1)[0][0].Timestamp.UnixMilli()
	if got < before || got > time.Now().UnixMilli() {
		t.Errorf("timestamp %d is not between %d and now", got, before)
	}
}

func TestCompression(t *testing.T) {
	t.Parallel()
	for _, codec := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		t.Run(codec, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, kfake.SeedTopics(2, "a"))
			cfg := c.config()
			cfg.CompressionType = codec
			r := newRig(t, cfg)
			all := messages("a", 5000, 10)
			for _, m := range all {
				m.Value = append(m.Value, strings.Repeat("x", 100)...)
			}
			src := newSource(all...)
			r.runAll(t, src)
			if repeats := checkComplete(t, c, "a", src); repeats != 0 {
				t.Errorf("%d records are in the log twice", repeats)
			}
			var bytes int64
			for _, p := range c.PartitionInfos("a") {
				bytes += p.NumBytes
			}
			if small := bytes < 5000*100; small != (codec != "none") {
				t.Errorf("the log has %d bytes", bytes)
			}
		})
	}
}

// A record above 1 MiB, where max.request.size allows it, travels alone.
func TestLargeRecord(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.NumBrokers(1))
	if err := c.CreateTopic("a", 1, map[string]string{"max.message.bytes": "10000000"}); err != nil {
		t.Fatal(err)
	}
	cfg := c.config()
	cfg.MaxRequestSize = 8 << 20
	r := newRig(t, cfg)
	all := messages("a", 300, 10)
	for _, i := range []int{0, 100, 101, 299} {
		all[i].Value = append(all[i].Value, make([]byte, 5<<20)...)
	}
	src := newSource(all...)
	r.runAll(t, src)
	checkComplete(t, c, "a", src)
}
