package catalog

import (
	"fmt"

	"github.com/outbox-relay/outbox-relay/replication"
)

func configuration(reason, format string, args ...any) error {
	return &replication.Problem{Class: replication.Configuration, Reason: reason, Err: fmt.Errorf(format, args...)}
}

func human(reason, format string, args ...any) error {
	return &replication.Problem{Class: replication.Human, Reason: reason, Err: fmt.Errorf(format, args...)}
}

func transient(reason, format string, args ...any) error {
	return &replication.Problem{Class: replication.Transient, Reason: reason, Err: fmt.Errorf(format, args...)}
}
