package pipeline

import (
	"bytes"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

// target is an outbox table with the plan for its rows. The router sees it
// without the columns of column.exclude.list.
type target struct {
	rel  *schema.Relation // as the router sees it
	plan *router.Plan     // nil for a stranger
	keep []int            // positions of its columns in the table; nil for all

	idAt, keyAt, kindAt int // columns as the router sees them; -1 if there is none

	row, old, filled []schema.Datum // reused from row to row

	moved error // why a row of a stranger stops the relay
}

// newTarget leaves the excluded columns out of a table.
func newTarget(rel *schema.Relation, exclude replication.List) *target {
	if exclude.Empty() {
		return &target{rel: rel}
	}
	reduced := *rel
	reduced.Columns = nil
	t := &target{rel: &reduced, keep: []int{}}
	for i := range rel.Columns {
		if !exclude.Match(rel.String() + "." + rel.Columns[i].Name) {
			reduced.Columns = append(reduced.Columns, rel.Columns[i])
			t.keep = append(t.keep, i)
		}
	}
	return t
}

// locate finds the columns that dead letters and metrics need.
func (t *target) locate(c schema.Columns) {
	t.idAt, t.keyAt, t.kindAt = t.rel.Index(c.ID), t.rel.Index(c.Key), t.rel.Index(c.RouteBy)
}

// view is a row of the table as the router sees it, in the memory of into if it
// has to be a copy.
func (t *target) view(values []schema.Datum, into *[]schema.Datum) []schema.Datum {
	if t.keep == nil {
		return values
	}
	kept := (*into)[:0]
	for _, i := range t.keep {
		kept = append(kept, values[i])
	}
	*into = kept
	return kept
}

// rekeyed reports whether an UPDATE changed the row's key, for all that the
// table's replica identity shows of the old one.
func rekeyed(rel *schema.Relation, before []schema.Datum, full bool, values []schema.Datum) bool {
	if before == nil {
		return false
	}
	for _, i := range rel.PrimaryKey() {
		shown := full || rel.Columns[i].Key
		if shown && values[i].Kind != schema.Unchanged && !same(before[i], values[i]) {
			return true
		}
	}
	return false
}

func same(a, b schema.Datum) bool { return a.Kind == b.Kind && bytes.Equal(a.Bytes, b.Bytes) }

// complete puts into a row what the server did not send, because it is stored
// apart and did not change: the old row's value if that was sent, otherwise
// Debezium's placeholder. What there is no placeholder for stays as it is, for
// the router to refuse.
func (t *target) complete(rel *schema.Relation, before, values []schema.Datum, placeholder []byte) []schema.Datum {
	t.filled = append(t.filled[:0], values...)
	for i := range t.filled {
		d := &t.filled[i]
		switch {
		case d.Kind != schema.Unchanged:
		case before[i].Kind == schema.Text:
			*d = before[i]
		default:
			if text, ok := rel.Columns[i].Unavailable(placeholder); ok {
				*d = schema.Datum{Kind: schema.Text, Bytes: text}
			}
		}
	}
	return t.filled
}
