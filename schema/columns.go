package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Columns names the columns that make up an event. Names are exact: PostgreSQL
// folds unquoted names to lower case, and so they are announced.
type Columns struct {
	ID        string // the event's id, sent as header "id"
	Key       string // the record's key
	Type      string // the event's type; "" if nothing uses it
	Payload   string // the record's value
	RouteBy   string // chooses the topic
	Timestamp string // the record's time; "" for the time of processing
}

// DefaultColumns returns the names that Debezium documents for its Outbox Event
// Router.
func DefaultColumns() Columns {
	return Columns{ID: "id", Key: "aggregateid", Type: "type", Payload: "payload", RouteBy: "aggregatetype"}
}

// option is a column name and the option that sets it.
type option struct{ name, flag string }

// options lists the columns in the order of the reference table.
func (c Columns) options() []option {
	return []option{
		{c.ID, "table.field.event.id"},
		{c.RouteBy, "route.by.field"},
		{c.Key, "table.field.event.key"},
		{c.Type, "table.field.event.type"},
		{c.Payload, "table.field.event.payload"},
		{c.Timestamp, "table.field.event.timestamp"},
	}
}

// Check reports every column that rel lacks in one error, with the option that
// names it, or nil if the table has them all. Empty names are not looked for.
func (c Columns) Check(rel *Relation) error {
	var missing, flags []string
	for _, o := range c.options() {
		if o.name == "" || rel.Index(o.name) >= 0 {
			continue
		}
		flags = append(flags, "-"+o.flag)
		if quoted := fmt.Sprintf("%q", o.name); !slices.Contains(missing, quoted) {
			missing = append(missing, quoted)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("table %s lacks column(s) %s; it has %s; name yours with %s",
		rel, strings.Join(missing, ", "), rel.ColumnNames(), strings.Join(flags, ", "))
}
