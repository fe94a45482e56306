package outbox

import (
	"slices"
	"strconv"
	"strings"
)

// statement is SQL with its parameters.
type statement struct {
	sql  string
	args []any
}

// maxRows is how many rows a statement holds at most: far from the 65535 parameters
// that PostgreSQL takes, however many extra columns there are.
const maxRows = 500

// statements are those that write the rows, perInsert of them in each INSERT, and
// delete them again if that is wanted.
func (t Table) statements(rows []row, perInsert int) []statement {
	var all []statement
	for part := range slices.Chunk(rows, perInsert) {
		all = append(all, t.insert(part))
	}
	if t.DeleteAtOnce {
		for part := range slices.Chunk(rows, maxRows) {
			all = append(all, t.remove(part))
		}
	}
	return all
}

func (t Table) insert(rows []row) statement {
	columns := t.columns()
	args := make([]any, 0, len(rows)*len(columns))
	for i := range rows {
		args = t.values(args, &rows[i])
	}
	return statement{"INSERT INTO " + t.qualified(t.Name) + " (" + quoteAll(columns) + ") VALUES " + tuples(len(rows), len(columns)), args}
}

func (t Table) remove(rows []row) statement {
	args := make([]any, len(rows))
	for i := range rows {
		args[i] = rows[i].ID
	}
	return statement{"DELETE FROM " + t.qualified(t.Name) + " WHERE " + quote(t.Columns.ID) + " IN " + tuples(1, len(rows)), args}
}

// columns are those that an INSERT fills.
func (t Table) columns() []string {
	c := t.Columns
	columns := []string{c.ID, c.RouteBy, c.Key}
	if c.Type != "" {
		columns = append(columns, c.Type)
	}
	columns = append(columns, c.Payload)
	if t.Sequence != "" {
		columns = append(columns, t.Sequence)
	}
	return append(columns, t.Extra...)
}

// values appends the values of columns.
func (t Table) values(args []any, r *row) []any {
	args = append(args, r.ID, r.AggregateType, r.AggregateID)
	if t.Columns.Type != "" {
		args = append(args, r.Type)
	}
	args = append(args, r.payload)
	if t.Sequence != "" {
		args = append(args, r.Sequence)
	}
	return append(args, r.Extra...)
}

// qualified is the name of a table beside the outbox.
func (t Table) qualified(name string) string {
	if t.Schema == "" {
		return quote(name)
	}
	return quote(t.Schema) + "." + quote(name)
}

// tuples is ($1, $2), ($3, $4) for two rows of two.
func tuples(rows, width int) string {
	var b strings.Builder
	for i := range rows * width {
		switch {
		case i == 0:
			b.WriteString("($")
		case i%width == 0:
			b.WriteString("), ($")
		default:
			b.WriteString(", $")
		}
		b.WriteString(strconv.Itoa(i + 1))
	}
	b.WriteByte(')')
	return b.String()
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quote(name)
	}
	return strings.Join(quoted, ", ")
}

// quote makes an identifier of a name.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
