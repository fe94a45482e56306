// Package kafkatest gives tests real Apache Kafka brokers and topics, and takes care that nothing of them is left. It
// is a thin layer over kafkaserver.
package kafkatest

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/test/internal/shared"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
)

const (
	startTimeout = 8 * time.Minute // enough to fetch the jars once over a slow line
	topicTimeout = time.Minute
)

// one is the broker that the tests of this program share.
var one = shared.Server[*kafkaserver.Cluster]{
	Name: "Kafka broker", Timeout: startTimeout,
	Start: func(ctx context.Context) (*kafkaserver.Cluster, error) {
		return kafkaserver.Start(ctx, kafkaserver.Config{})
	},
}

// M is what testing.M and goleak.TestingM have in common.
type M = shared.M

// WithShared wraps m so that the shared broker is stopped after the tests. It can be combined with pgtest's:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(kafkatest.WithShared(pgtest.WithShared(m))) }
func WithShared(m M) M { return one.StopAfter(m) }

// Main runs the tests, stops the shared broker and exits. Use it as the whole of TestMain where goleak is not used.
func Main(m *testing.M) { os.Exit(WithShared(m).Run()) }

// Shared returns the single broker that all tests of this program share; the first call starts it. Tests must not stop
// or pause it: that is what New is for.
func Shared(t testing.TB) *kafkaserver.Cluster {
	t.Helper()
	return one.Get(t)
}

// New starts a cluster for this test alone. It is removed when the test ends; a failed test gets the end of each
// broker's log.
func New(t testing.TB, config kafkaserver.Config) *kafkaserver.Cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	cluster, err := kafkaserver.Start(ctx, config)
	if err != nil {
		t.Fatalf("start Kafka: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			for i := range cluster.Addrs() {
				t.Logf("end of broker %d's log:\n%s", i, cluster.LogTail(i, 20))
			}
		}
		if err := cluster.Close(); err != nil {
			t.Errorf("close Kafka: %v", err)
		}
	})
	return cluster
}

// UniquePrefix returns a text that no other test uses, to begin topic names with, so that tests can share a broker.
func UniquePrefix(testing.TB) string { return "t" + strings.ToLower(rand.Text()[:12]) + "." }

// Topic creates a topic for this test and deletes it when the test ends, if its broker still runs then.
func Topic(t testing.TB, cluster *kafkaserver.Cluster, name string, partitions int32) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), topicTimeout)
	defer cancel()
	if err := cluster.CreateTopic(ctx, name, partitions, 1, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !cluster.Running(0) {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), topicTimeout)
		defer cancel()
		if err := cluster.DeleteTopic(ctx, name); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
}

// NewClient makes a franz-go client of the cluster that is closed when the test ends.
func NewClient(t testing.TB, cluster *kafkaserver.Cluster, options ...kgo.Opt) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(cluster.Addrs()...)}, options...)...)
	if err != nil {
		t.Fatalf("make a Kafka client: %v", err)
	}
	t.Cleanup(client.Close)
	return client
}
