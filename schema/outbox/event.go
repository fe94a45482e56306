package outbox

import "errors"

// ErrInvalid is wrapped by the error of a Write whose events can not be stored or
// sent as they are. Nothing has been written then, and trying again does not help.
//
// Any other error is one of the database, and not all of those pass by themselves.
// Only the database knows: that an id is there already, an Extra value that does not
// suit its column, constraints and triggers of one's own, characters that a database
// in another encoding than UTF-8 lacks, JSON nested too deeply for max_stack_depth,
// and, for another table than the reference table (see Table.Name), the types and
// lengths of its columns. So try again only after errors that say so, such as those
// of the SQLSTATE classes 08, 40, 53 and 57, and never without a limit.
var ErrInvalid = errors.New("invalid event")

// Event is one row of the outbox.
type Event struct {
	// ID identifies the event for good: consumers recognise a repeat by it. Left
	// empty, Write makes one with NewID. It must suit the type of the column, which is
	// uuid in the reference table.
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
	// is a string where the column is not JSON. For a JSON column any other value is
	// marshaled by encoding/json.
	//
	// JSON that jsonb can not hold is refused, not changed: strings that are not UTF-8,
	// with a zero byte or half of a surrogate pair, and numbers out of the range of
	// numeric. In a value that is marshaled, what tells of a string that is not UTF-8 is
	// the \ufffd that encoding/json writes for it; so JSON with that escape from a
	// json.RawMessage within, or a MarshalJSON of one's own, is refused too. Marshal
	// such a value before, and give the []byte.
	//
	// Nil is NULL, which the relay sends as a null value: a tombstone, if the topic is
	// compacted. So is a nil []byte or json.RawMessage, and for a JSON column a nil
	// pointer, map or slice that encoding/json makes null of. For the JSON null give
	// json.RawMessage("null").
	Payload any

	// Sequence is the number of the event within its aggregate, for a Table with a
	// column for it and without Counters: the version of the aggregate's own row,
	// say. It must rise in the order of commits, which it does if the transaction has
	// locked that row; gaps are fine. With Counters it must be 0.
	Sequence int64

	// Extra are the values of the columns in Table.Extra, in their order.
	Extra []any
}
