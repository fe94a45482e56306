// Package prune deletes old rows: those of an outbox table that are proven to be relayed (package proof), and those of a
// consumer's inbox by age alone. It owns the loop of passes, the batches, and the work on partitions.
package prune

import (
	"context"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
)

// Age says how the age of a row is told.
type Age string

// The ways to tell it.
const (
	ByColumn   Age = "column"   // by a column with a time
	ByID       Age = "id"       // by the time in a UUIDv7, which is the first column of the key
	ByObserved Age = "observed" // by when the pruner first saw the row's transaction ended
)

// Partitions says what to do about whole old partitions.
type Partitions string

// What can be done about them.
const (
	Keep   Partitions = "keep"
	Drop   Partitions = "drop"
	Detach Partitions = "detach"
)

// Target is a table to prune.
type Target struct {
	Table     catalog.Name
	Age       Age
	Column    string         // with the time, for ByColumn
	Zone      *time.Location // of times without one
	Retention time.Duration  // age at which rows go
	Inbox     bool           // rows go by age alone
}

// Slot is a slot whose reader must have confirmed a row.
type Slot struct {
	Name        string
	Publication string // with which it is read
}

// Config is what a Pruner needs. Everything must be set.
type Config struct {
	Connect func(ctx context.Context) (*pgx.Conn, error)
	Targets []Target
	Slots   []Slot
	State   catalog.Name // table with the ledgers

	BatchSize        int           // rows that one transaction deletes at most
	Pause            time.Duration // between two of them, at least
	LockTimeout      time.Duration
	StatementTimeout time.Duration
	ConfirmTimeout   time.Duration // how long a pass waits for the slots

	Partitions Partitions
	Ahead      int // coming partitions to have; 0 makes none

	AssumeBefore time.Time // rows older than this count as relayed, on the operator's word; zero for none

	Interval time.Duration // between two passes of the daemon
	Once     bool
	DryRun   bool

	Metrics *Metrics
	Log     zerolog.Logger
	Out     io.Writer // for the report of a dry run
}

// names are those of the slots.
func (c *Config) names() []string {
	names := make([]string, len(c.Slots))
	for i, s := range c.Slots {
		names[i] = s.Name
	}
	return names
}
