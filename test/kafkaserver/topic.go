package kafkaserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/test/internal/poll"
)

const (
	topicTimeout  = 30 * time.Second // for a topic to appear or vanish everywhere
	topicPoll     = 20 * time.Millisecond
	answerTimeout = 5 * time.Second // for one request; a broker that starts may accept it and stay silent
)

// CreateTopic creates a topic and waits until every running broker knows a leader for each partition, without which
// the first requests would be answered with UNKNOWN_TOPIC_OR_PARTITION or NOT_LEADER_OR_FOLLOWER. configs may be nil.
func (c *Cluster) CreateTopic(ctx context.Context, name string, partitions int32, replication int16, configs map[string]string) error {
	values := make(map[string]*string, len(configs))
	for k, v := range configs {
		values[k] = &v
	}
	err := c.withAdmin(func(admin *kadm.Client) error {
		_, err := admin.CreateTopic(ctx, partitions, replication, values, name)
		return err
	})
	if err == nil {
		err = c.awaitTopic(ctx, name, func(t kmsg.MetadataResponseTopic) error { return complete(t, int(partitions)) })
	}
	if err != nil {
		return fmt.Errorf("create topic %q: %w", name, err)
	}
	return nil
}

// complete errs while a partition is missing or has no leader.
func complete(t kmsg.MetadataResponseTopic, partitions int) error {
	if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
		return err
	}
	if len(t.Partitions) != partitions {
		return fmt.Errorf("%d of %d partitions are there", len(t.Partitions), partitions)
	}
	for _, p := range t.Partitions {
		if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
			return fmt.Errorf("partition %d: %w", p.Partition, err)
		}
	}
	return nil
}

// DeleteTopic deletes a topic and waits until every running broker has forgotten it.
func (c *Cluster) DeleteTopic(ctx context.Context, name string) error {
	err := c.withAdmin(func(admin *kadm.Client) error {
		_, err := admin.DeleteTopic(ctx, name)
		return err
	})
	if err == nil {
		err = c.awaitTopic(ctx, name, absent)
	}
	if err != nil {
		return fmt.Errorf("delete topic %q: %w", name, err)
	}
	return nil
}

func absent(t kmsg.MetadataResponseTopic) error {
	if t.ErrorCode == kerr.UnknownTopicOrPartition.Code {
		return nil
	}
	return errors.New("it is still there")
}

// awaitTopic waits until check accepts what each running broker itself says about the topic.
func (c *Cluster) awaitTopic(ctx context.Context, name string, check func(kmsg.MetadataResponseTopic) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, topicTimeout, fmt.Errorf("not done within %v", topicTimeout))
	defer cancel()
	for i := range c.nodes {
		err := poll.Until(ctx, topicPoll, func(ctx context.Context) error {
			if !c.Running(i) {
				return nil
			}
			meta, err := c.ask(ctx, i, name)
			if err != nil {
				return err
			}
			if len(meta.Topics) != 1 {
				return fmt.Errorf("broker %d answered about %d topics, not one", i, len(meta.Topics))
			}
			return check(meta.Topics[0])
		})
		if err != nil {
			return fmt.Errorf("broker %d: %w", i, err)
		}
	}
	return nil
}

// ask requests metadata about topics from broker i itself. An ordinary request of the client would go to any broker it
// knows, or be answered from its cache.
func (c *Cluster) ask(ctx context.Context, i int, topics ...string) (*kmsg.MetadataResponse, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.nodes[i].addr()))
	if err != nil {
		return nil, fmt.Errorf("make a Kafka client: %w", err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{} // none; nil means all
	for _, name := range topics {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = &name
		req.Topics = append(req.Topics, topic)
	}
	return req.RequestWith(ctx, client.SeedBrokers()[0])
}

// withAdmin runs do with an admin client that is closed afterwards.
func (c *Cluster) withAdmin(do func(*kadm.Client) error) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...))
	if err != nil {
		return fmt.Errorf("make a Kafka client: %w", err)
	}
	defer client.Close()
	return do(kadm.NewClient(client))
}
