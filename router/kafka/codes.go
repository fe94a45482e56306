package kafka

import (
	"slices"

	"github.com/IBM/sarama"
)

// class is what a broker's answer means for the batch that it was given for.
type class int

const (
	retriable     class = iota // send the same batch again, later
	accepted                   // every record of the batch is in the log
	lostProducer               // the broker knows our identity or sequence no more: take a new identity
	tooLarge                   // smaller batches may pass
	poison                     // at least one record of the batch can never pass
	suspect                    // damaged on the way, or as poison: it turns out by sending it again
	topicRefused               // no record can pass to this topic as it is
	misconfigured              // nothing can pass before somebody changes the configuration
)

// classify answers one question: what does this code mean for its batch? A code
// that is not known here is retriable: a record may be sent twice or wait, but
// is never given up for a reason that nobody understood.
func classify(code sarama.KError) class {
	switch code {
	case sarama.ErrNoError,
		sarama.ErrDuplicateSequenceNumber: // this very batch was appended before
		return accepted
	case sarama.ErrOutOfOrderSequenceNumber,
		sarama.ErrInvalidProducerEpoch,
		sarama.ErrInvalidProducerIDMapping,
		sarama.ErrUnknownProducerID, // expired, or its segment was deleted
		sarama.ErrProducerFenced:
		return lostProducer
	case sarama.ErrMessageSizeTooLarge,
		sarama.ErrMessageSetSizeTooLarge:
		return tooLarge
	case sarama.ErrInvalidRecord, // for one: no key on a compacted topic
		sarama.ErrInvalidTimestamp,
		sarama.ErrPolicyViolation:
		return poison
	case sarama.ErrInvalidMessage:
		// CORRUPT_MESSAGE is a checksum that does not fit, and mends itself; but brokers
		// before Kafka 2.4 have no INVALID_RECORD and answer it for a missing key too.
		return suspect
	case sarama.ErrTopicAuthorizationFailed,
		sarama.ErrInvalidTopic:
		return topicRefused
	case sarama.ErrClusterAuthorizationFailed,
		sarama.ErrTransactionalIDAuthorizationFailed,
		sarama.ErrUnsupportedCompressionType,
		sarama.ErrUnsupportedForMessageFormat,
		sarama.ErrUnsupportedVersion,
		sarama.ErrUnsupportedSASLMechanism,
		sarama.ErrSASLAuthenticationFailed,
		sarama.ErrSecurityDisabled,
		sarama.ErrInvalidRequiredAcks:
		return misconfigured
	}
	return retriable
}

// stale answers whether a code says that our idea of the partition's leader is
// old, so that asking again comes before sending again.
func stale(code sarama.KError) bool {
	return slices.Contains([]sarama.KError{
		sarama.ErrUnknownTopicOrPartition,
		sarama.ErrLeaderNotAvailable,
		sarama.ErrNotLeaderForPartition,
		sarama.ErrBrokerNotAvailable,
		sarama.ErrReplicaNotAvailable,
		sarama.ErrNetworkException,
		sarama.ErrKafkaStorageError, // the log directory failed; another broker takes over
		sarama.ErrLogDirNotFound,
		sarama.ErrListenerNotFound,
		sarama.ErrFencedLeaderEpoch,
		sarama.ErrUnknownLeaderEpoch,
		unknownTopicID, inconsistentTopicID, newLeaderElected,
	}, code)
}

// Codes that sarama has no names for.
const (
	unknownTopicID      sarama.KError = 100
	inconsistentTopicID sarama.KError = 103
	newLeaderElected    sarama.KError = 108
)
