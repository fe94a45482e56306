package kafkatest_test

import (
	"context"
	"regexp"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(kafkatest.WithShared(m)) }

// roundTrip produces one record and reads it back with another client.
func roundTrip(t *testing.T, cluster *kafkaserver.Cluster, topic, value string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	producer := kafkatest.NewClient(t, cluster, kgo.DefaultProduceTopic(topic))
	if err := producer.ProduceSync(ctx, kgo.StringRecord(value)).FirstErr(); err != nil {
		t.Fatalf("produce: %v", err)
	}
	consumer := kafkatest.NewClient(t, cluster, kgo.ConsumeTopics(topic))
	for {
		fetches := consumer.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("consume %q: %v", value, err)
		}
		for _, r := range fetches.Records() {
			if string(r.Value) == value {
				return
			}
		}
	}
}

func TestSharedBrokerTakesRecordsAtOnce(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Shared(t)
	topic := kafkatest.UniquePrefix(t) + "orders"
	kafkatest.Topic(t, cluster, topic, 3)
	roundTrip(t, cluster, topic, "first")
}

func TestTopicIsGoneAfterTheTest(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Shared(t)
	topic := kafkatest.UniquePrefix(t) + "orders"
	t.Run("test with a topic", func(t *testing.T) {
		kafkatest.Topic(t, cluster, topic, 2)
		if got := partitions(t, cluster, topic); got != 2 {
			t.Errorf("%d partitions during the test, want 2", got)
		}
	})
	if got := partitions(t, cluster, topic); got != 0 {
		t.Errorf("%d partitions after the test, want no topic", got)
	}
}

func partitions(t *testing.T, cluster *kafkaserver.Cluster, topic string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	topics, err := kadm.NewClient(kafkatest.NewClient(t, cluster)).ListTopics(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	return len(topics[topic].Partitions)
}

func TestPrefixesAreUniqueAndFitForTopics(t *testing.T) {
	t.Parallel()
	legal := regexp.MustCompile(`^[a-zA-Z0-9._-]{1,40}$`)
	seen := map[string]bool{}
	for range 1000 {
		prefix := kafkatest.UniquePrefix(t)
		if seen[prefix] || !legal.MatchString(prefix) {
			t.Fatalf("prefix %q: seen before %v", prefix, seen[prefix])
		}
		seen[prefix] = true
	}
}

func TestNewClustersAreIndependent(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.New(t, kafkaserver.Config{HeapMB: 256})
	if cluster.Bootstrap() == kafkatest.Shared(t).Bootstrap() {
		t.Errorf("New returned the shared broker")
	}
	kafkatest.Topic(t, cluster, "orders", 1)
	roundTrip(t, cluster, "orders", "own")
	if err := cluster.Kill(0); err != nil { // the topic's cleanup must cope with it
		t.Error(err)
	}
}
