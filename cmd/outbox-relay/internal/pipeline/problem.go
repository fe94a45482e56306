package pipeline

import (
	"errors"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

func configuration(reason string, err error) error {
	return &replication.Problem{Class: replication.Configuration, Reason: reason, Err: err}
}

func human(reason string, err error) error {
	return &replication.Problem{Class: replication.Human, Reason: reason, Err: err}
}

// brokerProblem classes what the producer gave up with.
func brokerProblem(err error) error {
	var record *kafka.RecordError
	var config *kafka.ConfigError
	switch {
	case errors.As(err, &record):
		return human("record", err)
	case errors.As(err, &config):
		return configuration("kafka", err)
	}
	return err
}
