package kafka

import (
	"strconv"

	"github.com/outbox-relay/outbox-relay/router"
)

// contextPrefix begins the names of Connect's error headers
// (org.apache.kafka.connect.runtime.errors.DeadLetterQueueReporter).
const contextPrefix = "__connect.errors."

// What an executing class is called in Connect for a source, by stage.
var executing = map[string]string{
	StageRoute: "io.debezium.transforms.outbox.EventRouter",
	StageSend:  "org.apache.kafka.connect.runtime.WorkerSourceTask",
}

// contextHeaders are the headers that Connect's reporter would add to this dead
// letter, in its order, all as UTF-8 text. A source has no consumed record, so
// topic and partition are those that the record was for, and the offset is what
// Debezium calls lsn: the position of the transaction as a number. As in Connect a
// header that the record has already is left alone.
//
// There is no stack: the trace is the line that Java's printStackTrace begins with.
func (d *DeadLetters) contextHeaders(m *Message) []router.Header {
	if !d.Context {
		return nil
	}
	r := m.grave.Refusal
	exception, message := exceptionOf(r), r.Reason+": "+r.Detail
	out := make([]router.Header, 0, 10)
	for _, h := range [...]struct{ name, value string }{
		{"topic", r.Topic},
		{"partition", strconv.Itoa(int(r.Partition))},
		{"offset", strconv.FormatUint(m.LSN, 10)},
		{"connector.name", d.Connector},
		{"task.id", "0"},
		{"stage", r.Stage},
		{"class.name", executing[r.Stage]},
		{"exception.class.name", exception},
		{"exception.message", message},
		{"exception.stacktrace", exception + ": " + message + "\n"},
	} {
		if !hasHeader(m, contextPrefix+h.name) {
			out = append(out, router.Header{Key: contextPrefix + h.name, Value: []byte(h.value)})
		}
	}
	return out
}

func hasHeader(m *Message, key string) bool {
	for i := range m.Headers {
		if m.Headers[i].Key == key {
			return true
		}
	}
	return false
}

// contextSize is what those headers add to recordSize, at most.
func (d *DeadLetters) contextSize(m *Message) int {
	const moreHeaders = 4 // bytes for a longer count of headers
	size := moreHeaders
	for _, h := range d.contextHeaders(m) {
		size += varintSize(len(h.Key)) + len(h.Key) + bytesSize(h.Value)
	}
	return size
}

// exceptionOf is the Java exception that stands for a reason.
func exceptionOf(r *Refusal) string {
	if r.Stage == StageRoute {
		return "org.apache.kafka.connect.errors.DataException"
	}
	if name, ok := exceptions[r.Reason]; ok {
		return name
	}
	return "org.apache.kafka.common.KafkaException"
}

var exceptions = map[string]string{
	ReasonTooLarge:                 "org.apache.kafka.common.errors.RecordTooLargeException",
	"MESSAGE_TOO_LARGE":            "org.apache.kafka.common.errors.RecordTooLargeException",
	"RECORD_LIST_TOO_LARGE":        "org.apache.kafka.common.errors.RecordBatchTooLargeException",
	ReasonTopicName:                "org.apache.kafka.common.errors.InvalidTopicException",
	ReasonNoTopic:                  "org.apache.kafka.common.errors.UnknownTopicOrPartitionException",
	ReasonNoPartition:              "org.apache.kafka.common.errors.InvalidPartitionsException",
	ReasonTimestamp:                "org.apache.kafka.common.errors.InvalidTimestampException",
	"INVALID_RECORD":               "org.apache.kafka.common.InvalidRecordException",
	"CORRUPT_MESSAGE":              "org.apache.kafka.common.errors.CorruptRecordException",
	"POLICY_VIOLATION":             "org.apache.kafka.common.errors.PolicyViolationException",
	"TOPIC_AUTHORIZATION_FAILED":   "org.apache.kafka.common.errors.TopicAuthorizationException",
	"CLUSTER_AUTHORIZATION_FAILED": "org.apache.kafka.common.errors.ClusterAuthorizationException",
	"INVALID_CONFIG":               "org.apache.kafka.common.errors.InvalidConfigurationException",
	"INVALID_REQUEST":              "org.apache.kafka.common.errors.InvalidRequestException",
	"NOT_ENOUGH_REPLICAS":          "org.apache.kafka.common.errors.NotEnoughReplicasException",
	"REQUEST_TIMED_OUT":            "org.apache.kafka.common.errors.TimeoutException",
	"timeout":                      "org.apache.kafka.common.errors.TimeoutException",
}
