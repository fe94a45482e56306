package prune

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/replication"
)

// partitionReason is the reason of failures of which nothing but a partition is the worse.
const partitionReason = "partition"

// postponed is what a pass could not do about partitions.
type postponed struct {
	number int
	first  error
}

// postpone notes a number of partitions, and why nothing was done to them.
func (s *pass) postpone(number int, what Partitions, why error) {
	s.postponed.number += number
	if s.postponed.first == nil {
		s.postponed.first = fmt.Errorf("could not %s a partition: %w", what, why)
	}
}

// err tells it; nil if there is nothing.
func (p *postponed) err(table catalog.Name) error {
	if p.number == 0 {
		return nil
	}
	return &replication.Problem{Class: replication.Transient, Reason: partitionReason, Err: fmt.Errorf("%d partitions of %s were left as they are; the next pass tries again: %w", p.number, table, p.first)}
}

// stalled is a change of the table for which a lock was waited for in vain: writers have waited as long.
type stalled struct{ error }

func (e *stalled) Unwrap() error { return e.error }

// stall wraps an error of a statement that locks the table.
func stall(what string, name catalog.Name, err error) error {
	wrapped := fmt.Errorf("%s %s: %w", what, name, err)
	if hasCode(err, "55P03") {
		return &stalled{fmt.Errorf("%w; a transaction holds the table for longer than -lock.timeout, pg_locks shows whose", wrapped)}
	}
	return wrapped
}

func isStall(err error) bool {
	var s *stalled
	return errors.As(err, &s)
}

// hidden explains PostgreSQL's refusal to read a partition of which a policy hides rows, even from its owner.
func (s *pass) hidden(name catalog.Name, err error) error {
	if !hasCode(err, "42501") {
		return err
	}
	return &replication.Problem{Class: replication.Configuration, Reason: "row_security", Err: fmt.Errorf("%w; the table's owner %s must be able to see all rows of a partition before it is dropped or detached: "+
		"run ALTER TABLE %s NO FORCE ROW LEVEL SECURITY, make that role its owner, or leave -partitions out", err, s.table.Owner, name.SQL())}
}

func hasCode(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}
