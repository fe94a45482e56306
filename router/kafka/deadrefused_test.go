package kafka_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// The broker names the wrong records: all of them go at once.
func TestNamedRecordsGoTogether(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.aside())
	refused := 0
	c.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		var wrong []int32
		for i := range int32(20) {
			if i%3 == 1 && holdsValue(fmt.Sprintf("%06d", i))(req) {
				wrong = append(wrong, i)
			}
		}
		if len(wrong) == 0 {
			return nil, nil, false
		}
		refused++
		return namingAnswer(req, wrong...), nil, true
	})
	src := newSource(messages("a", 20, 2)...)
	var poison []*kafka.Message
	for i := 1; i < 20; i += 3 {
		poison = append(poison, src.given[i])
	}
	r.runAll(t, src)
	checkAside(t, c, src, poison...)
	if refused != 1 {
		t.Errorf("the batch was refused %d times, want once", refused)
	}
}

// namingAnswer refuses records of topic a by their places in the batch.
func namingAnswer(req kmsg.Request, places ...int32) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.ProduceResponse)
	topic, partition := kmsg.NewProduceResponseTopic(), kmsg.NewProduceResponseTopicPartition()
	topic.Topic = "a"
	partition.ErrorCode = kerr.InvalidRecord.Code
	for _, place := range places {
		e := kmsg.NewProduceResponseTopicPartitionErrorRecord()
		e.RelativeOffset = place
		partition.ErrorRecords = append(partition.ErrorRecords, e)
	}
	topic.Partitions = append(topic.Partitions, partition)
	resp.Topics = append(resp.Topics, topic)
	return resp
}

// A row that never became a record: its stage is the transform's.
func TestRefusedBySource(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.aside())
	src := newSource(messages("a", 3, 1)...)
	row := src.given[1]
	row.Topic, row.Refused = "", &kafka.Refusal{Stage: kafka.StageRoute, Partition: -1, Reason: "ROW", Detail: "column is null"}
	r.runAll(t, src)
	checkAside(t, c, src, row)
	letter := c.deadLetters(t)[0]
	for name, want := range map[string]string{
		"stage": "TRANSFORMATION", "topic": "", "partition": "-1", "exception.message": "ROW: column is null",
		"exception.class.name": "org.apache.kafka.connect.errors.DataException", "class.name": "io.debezium.transforms.outbox.EventRouter",
	} {
		if got := header(letter, "__connect.errors."+name); got != want {
			t.Errorf("header %s is %q, want %q", name, got, want)
		}
	}
}

// Without a dead-letter topic such a message ends Run like any other poison.
func TestRefusedBySourceWithoutTopic(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	src := newSource(messages("a", 3, 1)...)
	src.given[1].Refused = &kafka.Refusal{Stage: kafka.StageRoute, Partition: -1, Reason: "ROW", Detail: "column is null"}
	src.close()
	var refused *kafka.RecordError
	if err := r.start(t, src).wait(); !errors.As(err, &refused) || refused.Message != src.given[1] {
		t.Errorf("Run returned %v", err)
	}
}
