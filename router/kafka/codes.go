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
	}, code)
}

// codeName is the name that Kafka's protocol guide gives to a code. The set is
// bounded, so it may label a metric.
func codeName(code sarama.KError) string {
	if name, ok := codeNames[code]; ok {
		return name
	}
	return "UNKNOWN_CODE"
}

var codeNames = map[sarama.KError]string{
	sarama.ErrUnknown:                            "UNKNOWN_SERVER_ERROR",
	sarama.ErrNoError:                            "NONE",
	sarama.ErrOffsetOutOfRange:                   "OFFSET_OUT_OF_RANGE",
	sarama.ErrInvalidMessage:                     "CORRUPT_MESSAGE",
	sarama.ErrUnknownTopicOrPartition:            "UNKNOWN_TOPIC_OR_PARTITION",
	sarama.ErrInvalidMessageSize:                 "INVALID_FETCH_SIZE",
	sarama.ErrLeaderNotAvailable:                 "LEADER_NOT_AVAILABLE",
	sarama.ErrNotLeaderForPartition:              "NOT_LEADER_OR_FOLLOWER",
	sarama.ErrRequestTimedOut:                    "REQUEST_TIMED_OUT",
	sarama.ErrBrokerNotAvailable:                 "BROKER_NOT_AVAILABLE",
	sarama.ErrReplicaNotAvailable:                "REPLICA_NOT_AVAILABLE",
	sarama.ErrMessageSizeTooLarge:                "MESSAGE_TOO_LARGE",
	sarama.ErrStaleControllerEpochCode:           "STALE_CONTROLLER_EPOCH",
	sarama.ErrOffsetMetadataTooLarge:             "OFFSET_METADATA_TOO_LARGE",
	sarama.ErrNetworkException:                   "NETWORK_EXCEPTION",
	sarama.ErrOffsetsLoadInProgress:              "COORDINATOR_LOAD_IN_PROGRESS",
	sarama.ErrConsumerCoordinatorNotAvailable:    "COORDINATOR_NOT_AVAILABLE",
	sarama.ErrNotCoordinatorForConsumer:          "NOT_COORDINATOR",
	sarama.ErrInvalidTopic:                       "INVALID_TOPIC_EXCEPTION",
	sarama.ErrMessageSetSizeTooLarge:             "RECORD_LIST_TOO_LARGE",
	sarama.ErrNotEnoughReplicas:                  "NOT_ENOUGH_REPLICAS",
	sarama.ErrNotEnoughReplicasAfterAppend:       "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
	sarama.ErrInvalidRequiredAcks:                "INVALID_REQUIRED_ACKS",
	sarama.ErrIllegalGeneration:                  "ILLEGAL_GENERATION",
	sarama.ErrInconsistentGroupProtocol:          "INCONSISTENT_GROUP_PROTOCOL",
	sarama.ErrInvalidGroupId:                     "INVALID_GROUP_ID",
	sarama.ErrUnknownMemberId:                    "UNKNOWN_MEMBER_ID",
	sarama.ErrInvalidSessionTimeout:              "INVALID_SESSION_TIMEOUT",
	sarama.ErrRebalanceInProgress:                "REBALANCE_IN_PROGRESS",
	sarama.ErrInvalidCommitOffsetSize:            "INVALID_COMMIT_OFFSET_SIZE",
	sarama.ErrTopicAuthorizationFailed:           "TOPIC_AUTHORIZATION_FAILED",
	sarama.ErrGroupAuthorizationFailed:           "GROUP_AUTHORIZATION_FAILED",
	sarama.ErrClusterAuthorizationFailed:         "CLUSTER_AUTHORIZATION_FAILED",
	sarama.ErrInvalidTimestamp:                   "INVALID_TIMESTAMP",
	sarama.ErrUnsupportedSASLMechanism:           "UNSUPPORTED_SASL_MECHANISM",
	sarama.ErrIllegalSASLState:                   "ILLEGAL_SASL_STATE",
	sarama.ErrUnsupportedVersion:                 "UNSUPPORTED_VERSION",
	sarama.ErrTopicAlreadyExists:                 "TOPIC_ALREADY_EXISTS",
	sarama.ErrInvalidPartitions:                  "INVALID_PARTITIONS",
	sarama.ErrInvalidReplicationFactor:           "INVALID_REPLICATION_FACTOR",
	sarama.ErrInvalidReplicaAssignment:           "INVALID_REPLICA_ASSIGNMENT",
	sarama.ErrInvalidConfig:                      "INVALID_CONFIG",
	sarama.ErrNotController:                      "NOT_CONTROLLER",
	sarama.ErrInvalidRequest:                     "INVALID_REQUEST",
	sarama.ErrUnsupportedForMessageFormat:        "UNSUPPORTED_FOR_MESSAGE_FORMAT",
	sarama.ErrPolicyViolation:                    "POLICY_VIOLATION",
	sarama.ErrOutOfOrderSequenceNumber:           "OUT_OF_ORDER_SEQUENCE_NUMBER",
	sarama.ErrDuplicateSequenceNumber:            "DUPLICATE_SEQUENCE_NUMBER",
	sarama.ErrInvalidProducerEpoch:               "INVALID_PRODUCER_EPOCH",
	sarama.ErrInvalidTxnState:                    "INVALID_TXN_STATE",
	sarama.ErrInvalidProducerIDMapping:           "INVALID_PRODUCER_ID_MAPPING",
	sarama.ErrInvalidTransactionTimeout:          "INVALID_TRANSACTION_TIMEOUT",
	sarama.ErrConcurrentTransactions:             "CONCURRENT_TRANSACTIONS",
	sarama.ErrTransactionCoordinatorFenced:       "TRANSACTION_COORDINATOR_FENCED",
	sarama.ErrTransactionalIDAuthorizationFailed: "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
	sarama.ErrSecurityDisabled:                   "SECURITY_DISABLED",
	sarama.ErrOperationNotAttempted:              "OPERATION_NOT_ATTEMPTED",
	sarama.ErrKafkaStorageError:                  "KAFKA_STORAGE_ERROR",
	sarama.ErrLogDirNotFound:                     "LOG_DIR_NOT_FOUND",
	sarama.ErrSASLAuthenticationFailed:           "SASL_AUTHENTICATION_FAILED",
	sarama.ErrUnknownProducerID:                  "UNKNOWN_PRODUCER_ID",
	sarama.ErrReassignmentInProgress:             "REASSIGNMENT_IN_PROGRESS",
	sarama.ErrDelegationTokenAuthDisabled:        "DELEGATION_TOKEN_AUTH_DISABLED",
	sarama.ErrDelegationTokenNotFound:            "DELEGATION_TOKEN_NOT_FOUND",
	sarama.ErrDelegationTokenOwnerMismatch:       "DELEGATION_TOKEN_OWNER_MISMATCH",
	sarama.ErrDelegationTokenRequestNotAllowed:   "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED",
	sarama.ErrDelegationTokenAuthorizationFailed: "DELEGATION_TOKEN_AUTHORIZATION_FAILED",
	sarama.ErrDelegationTokenExpired:             "DELEGATION_TOKEN_EXPIRED",
	sarama.ErrInvalidPrincipalType:               "INVALID_PRINCIPAL_TYPE",
	sarama.ErrNonEmptyGroup:                      "NON_EMPTY_GROUP",
	sarama.ErrGroupIDNotFound:                    "GROUP_ID_NOT_FOUND",
	sarama.ErrFetchSessionIDNotFound:             "FETCH_SESSION_ID_NOT_FOUND",
	sarama.ErrInvalidFetchSessionEpoch:           "INVALID_FETCH_SESSION_EPOCH",
	sarama.ErrListenerNotFound:                   "LISTENER_NOT_FOUND",
	sarama.ErrTopicDeletionDisabled:              "TOPIC_DELETION_DISABLED",
	sarama.ErrFencedLeaderEpoch:                  "FENCED_LEADER_EPOCH",
	sarama.ErrUnknownLeaderEpoch:                 "UNKNOWN_LEADER_EPOCH",
	sarama.ErrUnsupportedCompressionType:         "UNSUPPORTED_COMPRESSION_TYPE",
	sarama.ErrStaleBrokerEpoch:                   "STALE_BROKER_EPOCH",
	sarama.ErrOffsetNotAvailable:                 "OFFSET_NOT_AVAILABLE",
	sarama.ErrMemberIdRequired:                   "MEMBER_ID_REQUIRED",
	sarama.ErrPreferredLeaderNotAvailable:        "PREFERRED_LEADER_NOT_AVAILABLE",
	sarama.ErrGroupMaxSizeReached:                "GROUP_MAX_SIZE_REACHED",
	sarama.ErrFencedInstancedId:                  "FENCED_INSTANCE_ID",
	sarama.ErrEligibleLeadersNotAvailable:        "ELIGIBLE_LEADERS_NOT_AVAILABLE",
	sarama.ErrElectionNotNeeded:                  "ELECTION_NOT_NEEDED",
	sarama.ErrNoReassignmentInProgress:           "NO_REASSIGNMENT_IN_PROGRESS",
	sarama.ErrGroupSubscribedToTopic:             "GROUP_SUBSCRIBED_TO_TOPIC",
	sarama.ErrInvalidRecord:                      "INVALID_RECORD",
	sarama.ErrUnstableOffsetCommit:               "UNSTABLE_OFFSET_COMMIT",
	sarama.ErrThrottlingQuotaExceeded:            "THROTTLING_QUOTA_EXCEEDED",
	sarama.ErrProducerFenced:                     "PRODUCER_FENCED",
	sarama.ErrInvalidUpdateVersion:               "INVALID_UPDATE_VERSION",
}
