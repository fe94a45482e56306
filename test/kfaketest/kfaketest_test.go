package kfaketest_test

import (
	"strings"
	"testing"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kfake"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/kfaketest"
)

func TestMain(m *testing.M) {
	// sarama's metrics library starts one goroutine per program that never ends.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/rcrowley/go-metrics.(*meterArbiter).tick"))
}

// TestSaramaWorksWithIt is about the relay's client library: idempotent producing as the relay does it.
func TestSaramaWorksWithIt(t *testing.T) {
	t.Parallel()
	bootstrap, cluster := kfaketest.New(t, 3, []string{"orders"}, kfake.NumBrokers(2))
	if n := len(strings.Split(bootstrap, ",")); n != 2 {
		t.Errorf("%d brokers, want the 2 of the options", n)
	}
	config := sarama.NewConfig()
	config.Version = sarama.V2_8_0_0
	config.Producer.Idempotent = true
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Return.Successes = true
	config.Net.MaxOpenRequests = 1
	producer, err := sarama.NewSyncProducer(strings.Split(bootstrap, ","), config)
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	partition, offset, err := producer.SendMessage(&sarama.ProducerMessage{
		Topic: "orders", Key: sarama.StringEncoder("k"), Value: sarama.StringEncoder("v"),
	})
	if err != nil || offset != 0 {
		t.Fatalf("offset %d, error %v, want the first record", offset, err)
	}
	if info := cluster.PartitionInfo("orders", partition); info == nil || info.HighWatermark != 1 {
		t.Errorf("partition %d is %+v, want one record", partition, info)
	}
}

func TestTopicsAreNotCreatedByUse(t *testing.T) {
	t.Parallel()
	bootstrap, _ := kfaketest.New(t, 1, nil)
	config := sarama.NewConfig()
	config.Version = sarama.V2_8_0_0
	config.Metadata.Retry.Max = 0
	config.Producer.Return.Successes = true
	client, err := sarama.NewClient([]string{bootstrap}, config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if partitions, err := client.Partitions("orders"); err == nil {
		t.Errorf("topic with %d partitions, want none", len(partitions))
	}
}
