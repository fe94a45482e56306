package kafka

import (
	"fmt"
	"strings"

	"github.com/IBM/sarama"
)

// Reasons of a RecordError that no broker gave. All others are the names that
// Kafka's protocol guide gives to its error codes.
const (
	ReasonTooLarge    = "RECORD_TOO_LARGE"           // larger than max.request.size
	ReasonTopicName   = "INVALID_TOPIC_EXCEPTION"    // not a topic name
	ReasonNoTopic     = "UNKNOWN_TOPIC_OR_PARTITION" // no such topic
	ReasonNoPartition = "INVALID_PARTITIONS"         // no such partition in the topic
	ReasonTimestamp   = "INVALID_TIMESTAMP"          // cannot be expressed
)

// RecordError says that one record can never be accepted as things are. Every
// record that the Source gave before it has been acknowledged; some that came
// after it may have been.
type RecordError struct {
	Message   *Message
	Topic     string
	Partition int32  // -1 if none was chosen
	Reason    string // one of a bounded set: a Kafka error code's name or a Reason constant
	Detail    string // what was found, with its numbers; holds no key and no value
	Hint      string // what the operator can do about it

	from *partition // that refused it; nil if none was asked
}

func (e *RecordError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s for topic %q", kindOf(e.Message), e.Topic)
	if e.Partition >= 0 {
		fmt.Fprintf(&b, " partition %d", e.Partition)
	}
	if id := headerID(e.Message); id != "" {
		fmt.Fprintf(&b, ", id %q", id)
	}
	fmt.Fprintf(&b, ", transaction at LSN %X/%X: %s: %s", e.Message.LSN>>32, uint32(e.Message.LSN), e.Reason, e.Detail)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	switch r := e.Message.grave; {
	case r == nil:
	case r.Stage == StageRoute:
		fmt.Fprintf(&b, "; it is a row that cannot be relayed: %s: %s", r.Reason, r.Detail)
	default:
		fmt.Fprintf(&b, "; it was meant for topic %q: %s: %s", r.Topic, r.Reason, r.Detail)
	}
	return b.String()
}

func kindOf(m *Message) string {
	if m.grave != nil {
		return "dead letter"
	}
	return "record"
}

// headerID is the event id as consumers see it, cut to a length that fits in a
// log line.
func headerID(m *Message) string {
	const longest = 64
	for _, h := range m.Headers {
		if h.Key == "id" {
			return string(h.Value[:min(len(h.Value), longest)])
		}
	}
	return ""
}

// ConfigError says that the producer cannot work with this configuration, and
// that starting it again will not change that.
type ConfigError struct {
	Option string // Kafka's option name, or what to change
	Err    error
}

func (e *ConfigError) Error() string { return e.Option + ": " + e.Err.Error() }

func (e *ConfigError) Unwrap() error { return e.Err }

// configError names the option, or the right, behind a code of class
// misconfigured. doing says what was tried.
func configError(code sarama.KError, doing string) *ConfigError {
	err := fmt.Errorf("%s: %s (%w)", doing, codeName(code), code)
	option := "bootstrap.servers"
	switch code {
	case sarama.ErrClusterAuthorizationFailed:
		option = "right IdempotentWrite on the cluster"
		err = fmt.Errorf("%w; grant it to this user: kafka-acls --add --allow-principal User:NAME --operation IdempotentWrite --cluster", err)
	case sarama.ErrTransactionalIDAuthorizationFailed:
		option = "right Write on the transactional id"
	case sarama.ErrUnsupportedCompressionType:
		option = "compression.type"
	case sarama.ErrUnsupportedForMessageFormat:
		option = "log.message.format.version of the broker"
	case sarama.ErrUnsupportedSASLMechanism:
		option = "sasl.mechanism"
	case sarama.ErrSASLAuthenticationFailed:
		option = "sasl.username, sasl.password"
	case sarama.ErrSecurityDisabled:
		option = "security.protocol"
	}
	return &ConfigError{Option: option, Err: err}
}
