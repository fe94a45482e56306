package router

import (
	"fmt"

	"github.com/outbox-relay/outbox-relay/schema"
)

// Router routes the rows of outbox tables. It and its Plans belong to one
// goroutine.
type Router struct {
	settings  *settings
	interner  schema.Interner
	envelopes envelopeStore
	messages  map[*schema.Schema]*messagePlan
}

// New checks the options and returns a Router. The error joins every mistake,
// as Options.Validate does.
func New(o Options) (*Router, error) {
	s, err := compile(o)
	if err != nil {
		return nil, err
	}
	return &Router{settings: s}, nil
}

// Op is a kind of change, by the letter that Debezium gives it.
type Op byte

// The changes of a table.
const (
	OpInsert   Op = 'c'
	OpRead     Op = 'r' // a row that a snapshot read
	OpUpdate   Op = 'u'
	OpDelete   Op = 'd'
	OpTruncate Op = 't'
)

// Action is what to do with a change.
type Action byte

// What an Op can lead to.
const (
	Publish   Action = iota // route the row
	Drop                    // nothing to send, and nothing to say
	DropWarn                // nothing to send; warn the operator
	DropError               // nothing to send; report an error
	Fail                    // stop: table.op.invalid.behavior=fatal
)

// Action tells what to do with a change of the given kind. Inserts and snapshot
// reads are events; deletes and truncations tidy the table up; an update is
// against the outbox's rules, and table.op.invalid.behavior decides.
func (r *Router) Action(op Op) Action {
	switch op {
	case OpInsert, OpRead:
		return Publish
	case OpUpdate:
		return r.settings.onUpdate
	default:
		return Drop
	}
}

// RowError says why one row cannot become a record, now or ever. The row's
// values stay out of it.
type RowError struct {
	Column string // the column at fault
	Reason string
	Err    error // the cause, if there is one
}

func (e *RowError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("column %q: %s: %v", e.Column, e.Reason, e.Err)
	}
	return fmt.Sprintf("column %q: %s", e.Column, e.Reason)
}

// Unwrap returns the cause.
func (e *RowError) Unwrap() error { return e.Err }

// field is a column of the table, ready to be read and written.
type field struct {
	index int
	name  string
	codec *schema.Codec
	enc   *schema.Encoder
	// raw: what PostgreSQL sends is what Kafka gets.
	raw bool
}

// bind prepares the column named name for one converter.
func (r *Router) bind(rel *schema.Relation, name string, conv schema.Converter) (field, error) {
	f, err := r.column(rel, name)
	if err != nil {
		return f, err
	}
	if f.enc, err = conv.Bind(f.codec.Schema); err != nil {
		return f, fmt.Errorf("column %q: %w", name, err)
	}
	f.raw = f.codec.Verbatim && f.enc.Verbatim()
	return f, nil
}

// column prepares a column for reading.
func (r *Router) column(rel *schema.Relation, name string) (field, error) {
	i := rel.Index(name)
	if i < 0 {
		return field{}, fmt.Errorf("there is no column %q", name)
	}
	codec, err := schema.Bind(&rel.Columns[i], r.settings.Types)
	if err != nil {
		return field{}, err
	}
	return field{index: i, name: name, codec: codec}, nil
}
