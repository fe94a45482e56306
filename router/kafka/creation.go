package kafka

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/IBM/sarama"
)

// How long a topic may be missing before its records are refused: a topic that
// was just made takes a moment to be known to every broker, and one that had
// been there may be missing in the answer of a broker that is starting.
const (
	missingAtFirst = 3 * time.Second
	missingLater   = 5 * time.Second
)

// missing has a topic that does not exist created, or gives it up after a while.
func (s *session) missing(t *topic, now time.Time) {
	t.usable = false
	if !t.needed() {
		t.missingSince = time.Time{}
		return
	}
	if t.missingSince.IsZero() {
		t.missingSince = now
	}
	patience := missingAtFirst
	if len(t.partitions) > 0 {
		patience = missingLater
	}
	switch {
	case s.creates(t) && !t.create:
		t.create = true
		t.lookupAt = now
		s.want(t, now)
	case !s.creates(t) && now.Sub(t.missingSince) >= patience:
		s.obs.Failure(ReasonNoTopic)
		s.refuseTopic(t, ReasonNoTopic, "the topic does not exist")
	default:
		s.lookAgain(t, sarama.ErrUnknownTopicOrPartition, now)
	}
}

// creates answers whether a topic that is missing is to be created. The dead-letter
// topic always is, as in Connect.
func (s *session) creates(t *topic) bool {
	return s.cfg.TopicCreation.Enable || t.name == s.cfg.DeadLetters.Topic
}

// detailFor is what a topic is created with.
func (s *session) detailFor(t *topic) sarama.TopicDetail {
	if t.name == s.cfg.DeadLetters.Topic {
		return s.cfg.DeadLetters.detail(t.plain)
	}
	return sarama.TopicDetail{NumPartitions: s.cfg.TopicCreation.Partitions, ReplicationFactor: s.cfg.TopicCreation.ReplicationFactor}
}

// simpler answers whether the brokers may make the dead-letter topic without the
// option that they refused.
func (s *session) simpler(t *topic, code sarama.KError) bool {
	return t.name == s.cfg.DeadLetters.Topic && !t.plain &&
		slices.Contains(refusedDetail, code)
}

// refusedDetail are the answers of brokers that do not allow a topic's own settings.
var refusedDetail = []sarama.KError{sarama.ErrInvalidConfig, sarama.ErrPolicyViolation, sarama.ErrInvalidRequest}

// created looks the new topic up, or gives up if the broker will never make it.
func (s *session) created(t *topic, r result, now time.Time) {
	t.create = false
	if s.simpler(t, r.code) {
		t.plain, t.create = true, true
		return
	}
	switch r.code {
	case sarama.ErrNoError:
		s.log.Info().Str("topic", t.name).Msg("topic created")
		t.lookupAt = now
	case sarama.ErrInvalidTopic, sarama.ErrTopicAuthorizationFailed, sarama.ErrClusterAuthorizationFailed,
		sarama.ErrPolicyViolation, sarama.ErrInvalidPartitions,
		sarama.ErrInvalidConfig, sarama.ErrInvalidRequest, sarama.ErrUnsupportedVersion:
		s.obs.Failure(codeName(r.code))
		s.refuseTopic(t, codeName(r.code), "create the topic: "+cmp.Or(r.detail, r.code.Error()))
	case sarama.ErrInvalidReplicationFactor: // also the answer while brokers are down
		s.lookAgain(t, fmt.Errorf("create the topic: %w: %s; it is tried again; if no broker is down, set topic.creation.default.replication.factor to at most their number", r.code, r.detail), now)
	default: // TOPIC_ALREADY_EXISTS, NOT_CONTROLLER, THROTTLING_QUOTA_EXCEEDED, …: from the beginning, after a pause
		s.lookAgain(t, r.code, now)
		t.lookupAt = later(t.lookupAt, now.Add(r.throttle))
	}
}
