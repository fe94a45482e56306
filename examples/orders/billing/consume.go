package billing

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/examples/orders/service"
)

// NewClient makes a member of billing's group. It commits no offset by itself, and no other member gets its partitions
// while it works on records of theirs.
func NewClient(brokers []string, more ...kgo.Opt) (*kgo.Client, error) {
	options := []kgo.Opt{
		kgo.SeedBrokers(brokers...), kgo.ConsumerGroup(name), kgo.ConsumeTopics(service.Topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(),
	}
	client, err := kgo.NewClient(append(options, more...)...)
	if err != nil {
		return nil, fmt.Errorf("make a Kafka client for billing: %w", err)
	}
	return client, nil
}

// Consume applies records until ctx ends, which is no error. Offsets are committed after the effects: what is lost in
// between is a repeat, which Apply skips. applied, if it is not nil, is called after each event.
func Consume(ctx context.Context, client *kgo.Client, db *sql.DB, applied func(e Event, fresh bool)) error {
	defer client.AllowRebalance() // or closing the client would wait for it
	for {
		fetches := client.PollFetches(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err := fetches.Err(); err != nil {
			return fmt.Errorf("consume %s: %w", service.Topic, err)
		}
		for r := range fetches.RecordsAll() {
			e, err := Parse(r)
			if err != nil {
				return err
			}
			fresh, err := Apply(ctx, db, e)
			if err != nil {
				return ended(ctx, err)
			}
			if applied != nil {
				applied(e, fresh)
			}
		}
		if err := client.CommitUncommittedOffsets(ctx); err != nil {
			return ended(ctx, fmt.Errorf("commit the offsets of %s: %w", service.Topic, err))
		}
		client.AllowRebalance()
	}
}

// ended forgives an error that the end of ctx has caused.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
