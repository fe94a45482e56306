package kafka

import (
	"fmt"
	"slices"

	"github.com/IBM/sarama"
)

// mayCreate has the cluster check the creation of a topic, which it then leaves.
func (i *inspector) mayCreate(name string) error {
	detail := sarama.TopicDetail{NumPartitions: i.cfg.TopicCreation.Partitions, ReplicationFactor: i.cfg.TopicCreation.ReplicationFactor}
	option := "topic.creation.default.replication.factor"
	if name == i.cfg.DeadLetters.Topic {
		detail, option = i.cfg.DeadLetters.detail(false), "errors.deadletterqueue.topic.replication.factor"
	}
	code, err := i.tryCreation(name, detail)
	if name == i.cfg.DeadLetters.Topic && slices.Contains(refusedDetail, code) {
		code, err = i.tryCreation(name, i.cfg.DeadLetters.detail(true))
	}
	switch code {
	case sarama.ErrNoError, sarama.ErrTopicAlreadyExists, // somebody else has made it
		sarama.ErrNotController: // of a cluster with ZooKeeper: nothing was found out
		return err
	case sarama.ErrRequestTimedOut, sarama.ErrThrottlingQuotaExceeded:
		return err
	case sarama.ErrInvalidReplicationFactor:
		return &ConfigError{Option: option, Err: err}
	}
	return &ConfigError{Option: "topic.creation.enable", Err: err}
}

// tryCreation is one request that only validates. The error is for any code but
// those after which the topic is there or nothing is known.
func (i *inspector) tryCreation(name string, detail sarama.TopicDetail) (sarama.KError, error) {
	req := sarama.NewCreateTopicsRequest(protocol, map[string]*sarama.TopicDetail{name: &detail}, controlTimeout, true)
	resp, err := i.conn.broker.CreateTopics(req)
	if err != nil {
		return sarama.ErrNoError, fmt.Errorf("ask broker %s whether topic %q can be created: %w", i.conn.addr, name, err)
	}
	verdict := resp.TopicErrors[name]
	if verdict == nil {
		return sarama.ErrNoError, nil
	}
	switch verdict.Err {
	case sarama.ErrNoError, sarama.ErrTopicAlreadyExists, sarama.ErrNotController:
		return verdict.Err, nil
	}
	return verdict.Err, fmt.Errorf("topic %q cannot be created: %s (%w)", name, codeName(verdict.Err), verdict)
}
