// Package kfaketest gives tests a Kafka cluster that runs inside the test program: no JVM, a start within a
// millisecond, and every answer of the broker can be replaced (kfake's ControlKey). What only a real broker does belongs
// into a test with kafkatest.
package kfaketest

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

// New starts a cluster that holds the given topics, each with so many partitions, and returns the addresses of its
// brokers, separated by commas. It has one broker and does not create topics by itself, unless options say otherwise.
// It is closed when the test ends.
func New(t testing.TB, partitions int32, topics []string, options ...kfake.Opt) (bootstrap string, cluster *kfake.Cluster) {
	t.Helper()
	all := []kfake.Opt{kfake.NumBrokers(1)}
	if len(topics) > 0 {
		all = append(all, kfake.SeedTopics(partitions, topics...))
	}
	cluster, err := kfake.NewCluster(append(all, options...)...)
	if err != nil {
		t.Fatalf("start the in-process Kafka cluster: %v", err)
	}
	t.Cleanup(cluster.Close)
	return strings.Join(cluster.ListenAddrs(), ","), cluster
}
