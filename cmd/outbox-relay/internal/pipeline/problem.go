package pipeline

import (
	"errors"
	"fmt"

	"github.com/jackc/pglogrepl"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

func configuration(reason string, err error) error {
	return &replication.Problem{Class: replication.Configuration, Reason: reason, Err: err}
}

func human(reason string, err error) error {
	return &replication.Problem{Class: replication.Human, Reason: reason, Err: err}
}

// wayOut is how an event that can never be sent is given up, with the rest of its
// transaction: the server skips a transaction whose commit record starts before
// the confirmed position.
func wayOut(slot string, commit uint64) string {
	return fmt.Sprintf(". To give its whole transaction up instead, stop the relay and run: SELECT pg_replication_slot_advance('%s', '%s')", slot, pglogrepl.LSN(commit+1))
}

// brokerProblem classes what the producer gave up with.
func brokerProblem(slot string, err error) error {
	var record *kafka.RecordError
	var config *kafka.ConfigError
	switch {
	case errors.As(err, &record):
		return human("record", fmt.Errorf("%w%s", err, wayOut(slot, record.Message.LSN)))
	case errors.As(err, &config):
		return configuration("kafka", err)
	}
	return err
}
