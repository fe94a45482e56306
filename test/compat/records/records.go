// Package records reads whole Kafka topics and compares records byte by byte: topic, partition, order, timestamp, key,
// value and the headers in their order. A difference is printed so that the first differing byte can be seen. It is
// what the golden and the differential test judge with.
package records

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Record is one record. A null key, value or header is nil, an empty one is not.
type Record struct {
	Topic     string
	Partition int32
	Timestamp Timestamp
	Key       []byte
	Value     []byte
	Headers   []Header
}

// Header is one header of a record.
type Header struct {
	Key   string
	Value []byte
}

// Timestamp is the time of a record, as the producer set it.
type Timestamp struct {
	Milli int64 // since 1970; 0 when Clock is set
	Clock bool  // a reading of the clock while the test ran, which no two runs share
}

// String is "now" for a clock reading.
func (t Timestamp) String() string {
	if t.Clock {
		return "now"
	}
	return fmt.Sprint(t.Milli)
}

// ID is the value of the header "id", which finds the records of one row in two sets. It is empty if there is none.
func (r Record) ID() string {
	for _, h := range r.Headers {
		if h.Key == "id" {
			return string(h.Value)
		}
	}
	return ""
}

// Equal reports whether two records are the same in every byte.
func (r Record) Equal(s Record) bool {
	return r.Topic == s.Topic && r.Partition == s.Partition && r.Timestamp == s.Timestamp &&
		same(r.Key, s.Key) && same(r.Value, s.Value) &&
		slices.EqualFunc(r.Headers, s.Headers, func(a, b Header) bool { return a.Key == b.Key && same(a.Value, b.Value) })
}

// same tells null from empty.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// Window is the time a test ran in. A timestamp within it is a clock reading: nothing else can know that time.
type Window struct{ From, To time.Time }

// stamp converts the time of a record.
func (w Window) stamp(t time.Time) Timestamp {
	if !t.Before(w.From.Truncate(time.Millisecond)) && !t.After(w.To) {
		return Timestamp{Clock: true}
	}
	return Timestamp{Milli: t.UnixMilli()}
}

// readTimeout is for reading what is there already.
const readTimeout = time.Minute

// Read returns all records that the cluster holds now in topics that keep accepts, sorted by topic and partition and in
// the order of their offsets. Connect's and Kafka's own topics should be kept out.
func Read(ctx context.Context, brokers []string, keep func(topic string) bool, window Window) ([]Record, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readTimeout, fmt.Errorf("not all read within %v", readTimeout))
	defer cancel()
	starts, ends, err := offsets(ctx, brokers, keep)
	if err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	left := make(map[string]map[int32]int64) // the first offset that need not be read
	assign := make(map[string]map[int32]kgo.Offset)
	ends.Each(func(end kadm.ListedOffset) {
		start, _ := starts.Lookup(end.Topic, end.Partition)
		if end.Offset > start.Offset {
			put(left, end.Topic, end.Partition, end.Offset)
			put(assign, end.Topic, end.Partition, kgo.NewOffset().At(start.Offset))
		}
	})
	found, err := consume(ctx, brokers, assign, left, window)
	if err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	return found, nil
}

func put[V any](m map[string]map[int32]V, topic string, partition int32, v V) {
	if m[topic] == nil {
		m[topic] = make(map[int32]V)
	}
	m[topic][partition] = v
}

// offsets asks for the bounds of all partitions. The client is new, because one keeps what it knows of topics.
func offsets(ctx context.Context, brokers []string, keep func(string) bool) (starts, ends kadm.ListedOffsets, err error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		return nil, nil, err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	topics, err := admin.ListTopics(ctx)
	if err != nil {
		return nil, nil, err
	}
	names := slices.DeleteFunc(topics.Names(), func(name string) bool { return !keep(name) })
	if len(names) == 0 {
		return nil, nil, nil
	}
	if starts, err = admin.ListStartOffsets(ctx, names...); err == nil {
		err = starts.Error()
	}
	if err != nil {
		return nil, nil, err
	}
	if ends, err = admin.ListEndOffsets(ctx, names...); err == nil {
		err = ends.Error()
	}
	return starts, ends, err
}

// consume reads from the assigned offsets to those in left.
func consume(ctx context.Context, brokers []string, assign map[string]map[int32]kgo.Offset, left map[string]map[int32]int64, window Window) ([]Record, error) {
	if len(assign) == 0 {
		return nil, nil
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumePartitions(assign))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	var found []Record
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			return nil, errors.Join(context.Cause(ctx), fetches.Err())
		}
		fetches.EachRecord(func(r *kgo.Record) {
			end, ok := left[r.Topic][r.Partition]
			if !ok {
				return // written meanwhile
			}
			found = append(found, convert(r, window))
			if r.Offset+1 >= end {
				if delete(left[r.Topic], r.Partition); len(left[r.Topic]) == 0 {
					delete(left, r.Topic)
				}
			}
		})
	}
	sortByPartition(found)
	return found, nil
}

// sortByPartition keeps the order within a partition.
func sortByPartition(records []Record) {
	slices.SortStableFunc(records, func(a, b Record) int {
		if c := strings.Compare(a.Topic, b.Topic); c != 0 {
			return c
		}
		return int(a.Partition - b.Partition)
	})
}

func convert(r *kgo.Record, window Window) Record {
	record := Record{Topic: r.Topic, Partition: r.Partition, Timestamp: window.stamp(r.Timestamp), Key: r.Key, Value: r.Value}
	for _, h := range r.Headers {
		record.Headers = append(record.Headers, Header{h.Key, h.Value})
	}
	return record
}
