package pipeline

import (
	"bytes"
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

// wayOut is what can be done about an event that can never be sent: it goes aside
// with all like it, or is given up by the options in skip, or with the rest of its
// transaction: the server skips a transaction whose commit record starts before
// the confirmed position.
func wayOut(slot string, commit uint64, skip string) string {
	return fmt.Sprintf(". Other ways out: put such events aside with -errors.tolerance all -errors.deadletterqueue.topic.name TOPIC; "+
		"give this one up by starting once with %s; or give its whole transaction up: stop the relay and run: SELECT pg_replication_slot_advance('%s', '%s')",
		skip, slot, pglogrepl.LSN(commit+1))
}

// skipOptionsOf are what skips the event of a record.
func skipOptionsOf(m *kafka.Message) string {
	out := fmt.Sprintf("-skip.lsn %s", pglogrepl.LSN(m.LSN))
	if id := bytes.Trim(m.ID(), `"`); len(id) > 0 && len(id) <= longestOption {
		out += fmt.Sprintf(" -skip.id '%s'", id)
	}
	return out
}

// wornOut answers whether errors.retry.timeout ended the producer: only a new start
// of the process tries again.
func wornOut(err error) bool {
	var worn *kafka.WornError
	return errors.As(err, &worn)
}

// brokerProblem classes what the producer gave up with.
func brokerProblem(slot string, err error) error {
	var record *kafka.RecordError
	var config *kafka.ConfigError
	switch {
	case errors.As(err, &record):
		return human("record", fmt.Errorf("%w%s", err, wayOut(slot, record.Message.LSN, skipOptionsOf(record.Message))))
	case errors.As(err, &config):
		return configuration("kafka", err)
	}
	return err
}
