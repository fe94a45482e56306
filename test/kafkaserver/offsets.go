package kafkaserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/outbox-relay/outbox-relay/test/internal/poll"
)

// EndOffsets are the offsets of the next records of topics, by topic and partition. Topics that do not exist are left
// out. Without transactions and compaction an offset counts the records before it. A leader that was just elected is
// waited for.
func (c *Cluster) EndOffsets(ctx context.Context, topics ...string) (ends map[string]map[int32]int64, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, topicTimeout, fmt.Errorf("not answered within %v", topicTimeout))
	defer cancel()
	err = c.withAdmin(func(admin *kadm.Client) error {
		return poll.Until(ctx, topicPoll, func(ctx context.Context) error {
			listed, err := admin.ListEndOffsets(ctx, topics...)
			if err == nil {
				ends, err = byTopic(listed)
			}
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("look up the ends of topics %q: %w", topics, err)
	}
	return ends, nil
}

// byTopic sorts an answer, or returns one of its errors.
func byTopic(listed kadm.ListedOffsets) (map[string]map[int32]int64, error) {
	ends := make(map[string]map[int32]int64, len(listed))
	var err error
	listed.Each(func(end kadm.ListedOffset) {
		switch {
		case errors.Is(end.Err, kerr.UnknownTopicOrPartition):
		case end.Err != nil:
			err = end.Err
		case ends[end.Topic] == nil:
			ends[end.Topic] = map[int32]int64{end.Partition: end.Offset}
		default:
			ends[end.Topic][end.Partition] = end.Offset
		}
	})
	return ends, err
}
