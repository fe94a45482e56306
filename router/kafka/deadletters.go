package kafka

import (
	"fmt"

	"github.com/IBM/sarama"
)

// DeadLetters says where records go that can never be accepted. Without a Topic
// such a record ends Run with a RecordError.
//
// A dead letter is the whole record: its key, value, headers and timestamp, with
// Connect's error headers behind its own. It is never cut short: one that the
// dead-letter topic does not take ends Run after all. Only the timestamp of a
// record that was refused for its timestamp is the time of the refusal.
type DeadLetters struct {
	// Topic is made with one partition, as Connect does, if it does not exist
	// (errors.deadletterqueue.topic.name).
	Topic string
	// ReplicationFactor of a topic that is made; 0 and -1 leave it to the broker
	// (errors.deadletterqueue.topic.replication.factor).
	ReplicationFactor int16
	// Context adds the headers __connect.errors.*
	// (errors.deadletterqueue.context.headers.enable).
	Context bool
	// Connector is the value of the header __connect.errors.connector.name.
	Connector string
	// LogEach logs every dead letter, not only the first and one in 30 s
	// (errors.log.enable).
	LogEach bool
	// LogRecord adds key and headers to those lines, never the value
	// (errors.log.include.messages).
	LogRecord bool
}

// Where an event was refused, by Connect's names (org.apache.kafka.connect.runtime.errors.Stage).
const (
	StageRoute = "TRANSFORMATION" // a row that never became a record
	StageSend  = "KAFKA_PRODUCE"  // a record that Kafka does not take
)

// Refusal is why an event goes to the dead-letter topic.
type Refusal struct {
	Stage     string // one of the Stage constants
	Topic     string // that the record was for; empty if it had none
	Partition int32  // -1 if none was chosen
	Reason    string // one of a bounded set, as in RecordError
	Detail    string // what was found; holds no key and no value
}

// maxDeadLetter is the largest dead letter, in bytes before compression. It is not
// bound by max.request.size, or what is larger could never go aside; sarama encodes
// no request above 100 MiB.
const maxDeadLetter = 99 << 20

// enabled answers whether refused records go aside.
func (d *DeadLetters) enabled() bool { return d.Topic != "" }

func (d *DeadLetters) validate() error {
	if !d.enabled() {
		return nil
	}
	if err := checkTopicName(d.Topic); err != nil {
		return fmt.Errorf("errors.deadletterqueue.topic.name: %w", err)
	}
	if r := d.ReplicationFactor; r < -1 {
		return fmt.Errorf("errors.deadletterqueue.topic.replication.factor: %d is neither positive nor -1", r)
	}
	return nil
}

// detail is what the topic is made with. The brokers' own limit of a record is
// lifted, because records above that limit are among the first to go aside; brokers
// that do not allow it are asked without (plain).
func (d *DeadLetters) detail(plain bool) sarama.TopicDetail {
	detail := sarama.TopicDetail{NumPartitions: 1, ReplicationFactor: d.ReplicationFactor}
	if !plain {
		limit := fmt.Sprint(maxDeadLetter)
		detail.ConfigEntries = map[string]*string{"max.message.bytes": &limit}
	}
	return detail
}
