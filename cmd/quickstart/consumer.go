package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/examples/orders/service"
)

// topic is where the events of the orders go by default.
const topic = service.Topic

const (
	metadataAge = 100 * time.Millisecond // to find the topic soon after the relay has made it
	keepEvents  = 1024                   // that may wait in the channel
)

// event is a record as the consumer got it.
type event struct {
	topic     string
	partition int32
	id        string // the header id
	key       string
	value     string
	arrived   time.Time
}

// consumer reads the topic from its beginning in a goroutine of its own.
type consumer struct {
	client *kgo.Client
	cancel context.CancelFunc
	events chan event
	done   chan struct{} // closed at the end of the goroutine
	err    error         // why it ended; read it after done
}

// openConsumer starts reading. The topic need not exist yet.
func openConsumer(brokers []string) (*consumer, error) {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.UnknownTopicRetries(-1),
		kgo.MetadataMinAge(metadataAge),
		kgo.MetadataMaxAge(metadataAge),
	)
	if err != nil {
		return nil, fmt.Errorf("open the consumer: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &consumer{client: client, cancel: cancel, events: make(chan event, keepEvents), done: make(chan struct{})}
	go c.run(ctx)
	return c, nil
}

func (c *consumer) run(ctx context.Context) {
	defer close(c.done)
	for c.err == nil {
		c.err = c.poll(ctx)
	}
}

// poll hands on the records of one answer. They count as arrived when the client has them.
func (c *consumer) poll(ctx context.Context) error {
	fetches := c.client.PollFetches(ctx)
	now := time.Now()
	if err := fetches.Err(); err != nil {
		return fmt.Errorf("consume %s: %w", topic, err)
	}
	for r := range fetches.RecordsAll() {
		select {
		case c.events <- newEvent(r, now):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func newEvent(r *kgo.Record, now time.Time) event {
	e := event{topic: r.Topic, partition: r.Partition, key: string(r.Key), value: string(r.Value), arrived: now}
	for _, h := range r.Headers {
		if h.Key == "id" {
			e.id = string(h.Value)
		}
	}
	return e
}

// stop ends reading and returns the error if it had ended by itself.
func (c *consumer) stop() error {
	c.cancel()
	<-c.done
	c.client.Close()
	if errors.Is(c.err, context.Canceled) {
		return nil
	}
	return c.err
}
