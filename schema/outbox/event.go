package outbox

import "errors"

// ErrInvalid is wrapped by the error of a Write whose events can not be sent as
// they are. Nothing has been written then, and trying again does not help. Any
// other error is one of the database.
var ErrInvalid = errors.New("invalid event")

// Event is one row of the outbox.
type Event struct {
	// ID identifies the event for good: consumers recognise a repeat by it. Left
	// empty, Write makes one with NewID. It must suit the type of the column.
	ID string

	// AggregateType is the kind of thing that the event is about. It chooses the
	// topic. Must not be empty.
	AggregateType string

	// AggregateID is the thing itself. It is the record's key: events of one
	// AggregateID stay in commit order. Must not be empty.
	AggregateID string

	// Type says what happened.
	Type string

	// Payload is the event. A []byte or json.RawMessage is written as it is, and so
	// is a string where the column is not JSON; nil is NULL. For a JSON column any
	// other value is marshaled by encoding/json.
	Payload any

	// Sequence is the number of the event within its aggregate, for a Table with a
	// column for it and without Counters: the version of the aggregate's own row,
	// say. It must rise in the order of commits, which it does if the transaction has
	// locked that row; gaps are fine. With Counters it must be 0.
	Sequence int64

	// Extra are the values of the columns in Table.Extra, in their order.
	Extra []any
}
