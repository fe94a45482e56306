package kafkaserver_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
)

// checkLeaderMoves makes another broker the leader of a topic with one partition and one record.
func checkLeaderMoves(t *testing.T, ctx context.Context, cluster *kafkaserver.Cluster, topic string) {
	t.Helper()
	before := leader(t, ctx, cluster, topic)
	if err := cluster.MoveLeaders(ctx, topic); err != nil {
		t.Fatal(err)
	}
	err := poll.Until(ctx, 50*time.Millisecond, func(ctx context.Context) error {
		if leader(t, ctx, cluster, topic) == before {
			return errors.New("the leader is still the same")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	ends, err := cluster.EndOffsets(ctx, topic, "not-there")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]map[int32]int64{topic: {0: 1}}, ends); diff != "" {
		t.Errorf("end offsets (-want +got):\n%s", diff)
	}
}

// leader asks with a client of its own: another one may answer from its cache.
func leader(t *testing.T, ctx context.Context, cluster *kafkaserver.Cluster, topic string) int32 {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.Addrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	topics, err := kadm.NewClient(client).ListTopics(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	return topics[topic].Partitions[0].Leader
}

// checkTopicConfig changes a setting of a topic.
func checkTopicConfig(t *testing.T, ctx context.Context, cluster *kafkaserver.Cluster, topic string) {
	t.Helper()
	const name, want = "min.insync.replicas", "1"
	if err := cluster.SetTopicConfig(ctx, topic, name, want); err != nil {
		t.Fatal(err)
	}
	configs, err := kadm.NewClient(newClient(t, cluster)).DescribeTopicConfigs(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range configs[0].Configs {
		if c.Key == name && c.MaybeValue() != want {
			t.Errorf("%s is %s, want %s", name, c.MaybeValue(), want)
		}
	}
	if err := cluster.SetTopicConfig(ctx, topic, "no.such.setting", "1"); err == nil {
		t.Error("a setting that does not exist was set")
	}
}
