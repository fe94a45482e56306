package kafka_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/kafkatest"
)

func TestMain(m *testing.M) {
	if partitions := os.Getenv(brokerVariable); partitions != "" {
		serveBroker(partitions)
		return
	}
	flag.Parse()
	var opts []goleak.Option
	if flag.Lookup("test.bench").Value.String() != "" {
		// of sarama's AsyncProducer, to which a benchmark compares us; ours starts none
		opts = append(opts, goleak.IgnoreTopFunction("github.com/rcrowley/go-metrics.(*meterArbiter).tick"))
	}
	goleak.VerifyTestMain(kafkatest.WithShared(m), opts...)
}
