package replication

import (
	"time"

	"github.com/jackc/pglogrepl"

	"github.com/outbox-relay/outbox-relay/schema"
)

// Handler is told what the stream carries, in its order, from the goroutine
// that runs the Stream. An error from any method ends the stream with it.
type Handler interface {
	// Begin opens a transaction. Everything up to Commit belongs to it.
	Begin(Begin) error
	// Relation announces a table before its first row and after each change to
	// it. It reports whether the table's rows are wanted; others are skipped.
	Relation(*schema.Relation) (wanted bool, err error)
	// Insert is one committed row. values holds one Datum a column.
	Insert(rel *schema.Relation, values []schema.Datum) error
	// Update is one committed change of a row. before is what the table's replica
	// identity shows of the old row: nil if none of that has changed, otherwise one
	// Datum a column, of which only those of the identity count unless full is set.
	// A column of values that is Unchanged was not sent.
	Update(rel *schema.Relation, before []schema.Datum, full bool, values []schema.Datum) error
	// Other is a DELETE or TRUNCATE of a wanted table.
	Other(rel *schema.Relation, op Op) error
	// Message is a message of pg_logical_emit_message, whatever its prefix, if
	// Config.Messages asks for any. One that is not transactional has a Begin and a
	// Commit of its own, with the time at which it was received.
	Message(Message) error
	// Commit closes the transaction.
	Commit(Commit) error
	// Keepalive tells how far the server has decoded: everything before it that
	// concerns this slot has been sent.
	Keepalive(walEnd pglogrepl.LSN) error
	// Tick is called every Config.TickInterval, also from within Wait.
	Tick() error
	// Flush is called when the stream is about to wait for the network: what was
	// collected so far should be handed on now.
	Flush()
	// Confirmed is the position that may be confirmed to the server. It is never
	// lower than the Stream's Start and never goes back.
	Confirmed() pglogrepl.LSN
}

// Begin is the start of a transaction.
type Begin struct {
	CommitLSN  pglogrepl.LSN // start of its commit record; names the transaction
	CommitTime time.Time
	XID        uint32
	Age        time.Duration // of the transaction when the server began to send it, by the server's clock; 0 if that is not known
}

// Commit is the end of a transaction.
type Commit struct {
	CommitLSN pglogrepl.LSN // as in Begin
	EndLSN    pglogrepl.LSN // end of the commit record: the position to confirm
}

// Op is a kind of change other than INSERT.
type Op byte

// The kinds, by their letters in the protocol.
const (
	Update   Op = 'U'
	Delete   Op = 'D'
	Truncate Op = 'T'
)

// String returns the SQL command in lower case.
func (o Op) String() string {
	switch o {
	case Update:
		return "update"
	case Delete:
		return "delete"
	case Truncate:
		return "truncate"
	}
	return "unknown"
}
