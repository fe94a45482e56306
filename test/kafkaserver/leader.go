package kafkaserver

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
)

// MoveLeaders hands the leadership of every partition of a topic to its next replica. It returns when the cluster has
// decided so; clients learn it by the answers to their next requests. A topic without a second replica stays as it is.
func (c *Cluster) MoveLeaders(ctx context.Context, topic string) error {
	err := c.withAdmin(func(admin *kadm.Client) error {
		topics, err := admin.ListTopics(ctx, topic)
		if err == nil {
			err = topics.Error()
		}
		if err != nil {
			return err
		}
		return electNext(ctx, admin, topics[topic])
	})
	if err != nil {
		return fmt.Errorf("move the leaders of topic %q: %w", topic, err)
	}
	return nil
}

// electNext makes the replica after the leader the preferred one of each partition, and elects it.
func electNext(ctx context.Context, admin *kadm.Client, topic kadm.TopicDetail) error {
	assign, elect := kadm.AlterPartitionAssignmentsReq{}, kadm.TopicsSet{}
	for _, p := range topic.Partitions {
		if len(p.Replicas) > 1 {
			assign.Assign(topic.Topic, p.Partition, rotate(p.Replicas, p.Leader))
			elect.Add(topic.Topic, p.Partition)
		}
	}
	if len(assign) == 0 {
		return nil
	}
	altered, err := admin.AlterPartitionAssignments(ctx, assign)
	if err == nil {
		err = altered.Error()
	}
	if err != nil {
		return err
	}
	_, err = admin.ElectLeaders(ctx, kadm.ElectPreferredReplica, elect)
	return err
}

// rotate lists the replicas from the one after the leader on.
func rotate(replicas []int32, leader int32) []int32 {
	for i, id := range replicas {
		if id == leader {
			return append(append([]int32(nil), replicas[i+1:]...), replicas[:i+1]...)
		}
	}
	return replicas // without a leader the first one is as good as any
}

// SetTopicConfig changes one setting of a topic.
func (c *Cluster) SetTopicConfig(ctx context.Context, topic, name, value string) error {
	err := c.withAdmin(func(admin *kadm.Client) error {
		answers, err := admin.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: name, Value: &value}}, topic)
		for _, a := range answers {
			if err == nil {
				err = a.Err
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("set %s=%s for topic %q: %w", name, value, topic, err)
	}
	return nil
}
