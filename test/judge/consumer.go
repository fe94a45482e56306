package judge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// ConsumerConfig says what to read.
type ConsumerConfig struct {
	Brokers []string // host:port
	Topics  []string // they may appear later
	Regex   bool     // the topics are regular expressions, found in topic names

	// From, if set, are the offsets to begin at, by topic and partition, for topics that exist and are not among Topics.
	From map[string]map[int32]int64

	// IDHeader is the header with the event id. Defaults to "id".
	IDHeader string

	// ReadCommitted hides records of open and aborted Kafka transactions.
	ReadCommitted bool

	// Observe, if set, is called for each record in the order of arrival, from the one goroutine that reads. It must
	// not keep r. It serves checks that a Record has no field for, like other headers.
	Observe func(r *kgo.Record)
}

// Consumer reads all partitions of some topics, from the start or from given offsets, and keeps what Judge needs of each record: about 200
// bytes, values not included. Its methods may be called by several goroutines.
type Consumer struct {
	config ConsumerConfig
	client *kgo.Client
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	records []Record
	ids     map[string]int // how often each id arrived
	err     error          // the last trouble a poll has told
	changed chan struct{}  // closed and replaced when records arrive
}

// topicRefresh is how soon topics and partitions that are new are found.
const topicRefresh = 500 * time.Millisecond

// NewConsumer starts to read. It does not fail when the brokers are down: it goes on trying until Close, which the
// caller must call.
func NewConsumer(config ConsumerConfig) (*Consumer, error) {
	if config.IDHeader == "" {
		config.IDHeader = "id"
	}
	options := []kgo.Opt{
		kgo.SeedBrokers(config.Brokers...),
		kgo.ConsumePartitions(config.offsets()),
		kgo.ConsumeTopics(config.Topics...),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.MetadataMinAge(topicRefresh / 5),
		kgo.MetadataMaxAge(topicRefresh),
	}
	if config.Regex {
		options = append(options, kgo.ConsumeRegex())
	}
	if config.ReadCommitted {
		options = append(options, kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return nil, fmt.Errorf("make a Kafka consumer: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background()) // ended by Close
	c := &Consumer{
		config: config, client: client, cancel: cancel, done: make(chan struct{}),
		ids: map[string]int{}, changed: make(chan struct{}),
	}
	go c.run(ctx)
	return c, nil
}

// offsets are those of From in the reader's own terms.
func (c *ConsumerConfig) offsets() map[string]map[int32]kgo.Offset {
	all := make(map[string]map[int32]kgo.Offset, len(c.From))
	for topic, partitions := range c.From {
		all[topic] = make(map[int32]kgo.Offset, len(partitions))
		for partition, offset := range partitions {
			all[topic][partition] = kgo.NewOffset().At(offset)
		}
	}
	return all
}

// Close ends the reading. What was read stays.
func (c *Consumer) Close() {
	c.cancel()
	<-c.done
	c.client.Close()
}

func (c *Consumer) run(ctx context.Context) {
	defer close(c.done)
	for {
		fetches := c.client.PollFetches(ctx)
		if ctx.Err() != nil {
			return
		}
		c.add(fetches)
	}
}

// add takes over a poll. Errors do not end the reading: franz-go goes on by itself, and a test that misses records
// shows the last one.
func (c *Consumer) add(fetches kgo.Fetches) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	fetches.EachError(func(topic string, partition int32, err error) {
		c.err = fmt.Errorf("consume %s/%d: %w", topic, partition, err)
	})
	fetches.EachRecord(func(r *kgo.Record) {
		if c.config.Observe != nil {
			c.config.Observe(r)
		}
		record := c.convert(r, now)
		c.records = append(c.records, record)
		c.ids[record.ID]++
	})
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *Consumer) convert(r *kgo.Record, now time.Time) Record {
	record := Record{
		Key: string(r.Key), Topic: r.Topic, Partition: r.Partition, Offset: r.Offset,
		Hash: Hash(r.Value), Timestamp: r.Timestamp, Arrived: now,
	}
	for _, h := range r.Headers {
		if h.Key == c.config.IDHeader {
			record.ID = string(h.Value)
		}
	}
	return record
}

// Records returns all records so far, in the order of arrival.
func (c *Consumer) Records() []Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Record(nil), c.records...)
}

// Count is the number of records so far, and of different ids among them.
func (c *Consumer) Count() (records, ids int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.records), len(c.ids)
}

// WaitIDs waits until at least n different ids have arrived.
func (c *Consumer) WaitIDs(ctx context.Context, n int) error {
	return c.wait(ctx, func() error {
		if len(c.ids) < n {
			return fmt.Errorf("%d of %d events have arrived", len(c.ids), n)
		}
		return nil
	})
}

// WaitFor waits until every one of the rows has arrived. Rows are looked up once each: as arrivals never go away, the
// wait takes up where it was.
func (c *Consumer) WaitFor(ctx context.Context, rows []Committed) error {
	found := 0
	return c.wait(ctx, func() error {
		for found < len(rows) && c.ids[rows[found].ID] > 0 {
			found++
		}
		if found < len(rows) {
			return fmt.Errorf("of %d events at least one has not arrived: id %s, key %q", len(rows), rows[found].ID, rows[found].Key)
		}
		return nil
	})
}

// wait calls check, with the lock held, after each arrival until it returns nil. When ctx ends first, the error says
// what was missing and what trouble the reader had.
func (c *Consumer) wait(ctx context.Context, check func() error) error {
	for {
		c.mu.Lock()
		missing, trouble, changed := check(), c.err, c.changed
		c.mu.Unlock()
		if missing == nil {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for records: %w", errors.Join(context.Cause(ctx), missing, trouble))
		}
	}
}
