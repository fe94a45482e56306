package outbox

import (
	"cmp"

	"github.com/outbox-relay/outbox-relay/schema"
)

// DefaultMaxBytes is how large an event may be. It leaves 4 kB of the 1 MiB that the
// relay (max.request.size) and a broker (message.max.bytes) take by default to
// headers and to what Kafka adds.
const DefaultMaxBytes = 1<<20 - 4<<10

// Table describes an outbox table. The zero value is the reference table of
// schema.DDL. It is a plain value: make one where the application keeps its
// configuration, and use it from any goroutine.
type Table struct {
	// Schema and Name are the table's, exactly as PostgreSQL stores them. An empty
	// Schema leaves it to search_path; an empty Name is "outbox". If Name and Columns
	// are left empty the table is taken for the reference table: an id that is no UUID,
	// and a key or type of more than 255 characters, are refused. Name a table whose
	// columns have other types, even if its name is "outbox".
	Schema, Name string

	// Columns are the names of its columns. The zero value is
	// schema.DefaultColumns(). An empty Type means that there is none. Timestamp is
	// left to the column's DEFAULT.
	Columns schema.Columns

	// Payload is the kind of the payload column. Defaults to JSON.
	Payload PayloadKind

	// Extra are more columns to fill, from Event.Extra: what the relay sends as
	// headers, say.
	Extra []string

	// Sequence is the column for the event's number within its aggregate; empty if
	// there is none.
	Sequence string

	// Counters is the table, beside this one, that holds the last number of each
	// aggregate (schema.DDLSequence calls it outbox_sequence). Write then takes the
	// next one from there, and with it a lock on that row until the transaction ends.
	// If it is empty and Sequence is not, each Event brings its number.
	Counters string

	// DeleteAtOnce deletes the rows in the transaction that writes them: the relay
	// reads the write-ahead log, not the table, which then stays empty. What was
	// committed while there was no slot can not be relayed later.
	DeleteAtOnce bool

	// Topic is the rule by which the relay finds the topic of an aggregate type. Nil
	// stands for the default, "outbox.event." before it. It is only used to refuse
	// names that Kafka would refuse.
	Topic func(aggregateType string) string

	// MaxBytes limits key and payload of an event together, the payload as jsonb
	// prints it: 1e9 with all its digits. Defaults to DefaultMaxBytes. It belongs to
	// the relay's max.request.size and the topic's max.message.bytes.
	MaxBytes int

	reference bool // set by withDefaults: the columns are taken to be those of schema.DDL
}

// withDefaults returns the table with nothing left to be defaulted.
func (t Table) withDefaults() Table {
	t.reference = t.Name == "" && t.Columns == (schema.Columns{})
	t.Name = cmp.Or(t.Name, "outbox")
	if t.Columns == (schema.Columns{}) {
		t.Columns = schema.DefaultColumns()
	}
	if t.Topic == nil {
		t.Topic = func(aggregateType string) string { return "outbox.event." + aggregateType }
	}
	t.MaxBytes = cmp.Or(t.MaxBytes, DefaultMaxBytes)
	return t
}
