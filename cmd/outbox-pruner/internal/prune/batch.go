package prune

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// windowFactor is how many rows are looked at, in batches, before the next deletes: looking is cheap, and where few rows go the
// walk must not take a transaction and a pause for each few that stay.
const windowFactor = 10

// window is a stretch of rows in the walk's order.
type window struct {
	from, to []string // values of the order's columns as text, from exclusive; from is nil at the start
	rows     int64
	due      int64
	kept     int64 // old enough and not proven
}

// columns lists the order's columns with a table's alias before each and something behind.
func (c *condition) columns(alias, suffix string) string {
	names := make([]string, len(c.order))
	for i, column := range c.order {
		names[i] = alias + column.SQL() + suffix
	}
	return strings.Join(names, ", ")
}

// beyond compares a row with values that are parameters from the nth on.
func (c *condition) beyond(operator string, values []string, n int) string {
	if values == nil {
		return always
	}
	parameters := make([]string, len(c.order))
	for i, column := range c.order {
		parameters[i] = fmt.Sprintf("$%d::text::%s", n+i, column.Type)
	}
	return fmt.Sprintf("(%s) %s (%s)", c.columns("", ""), operator, strings.Join(parameters, ", "))
}

func parameters(all ...[]string) []any {
	var out []any
	for _, values := range all {
		for _, v := range values {
			out = append(out, v)
		}
	}
	return out
}

// next looks at up to size rows behind a position. ok is false when there are none.
func (c *condition) next(ctx context.Context, conn *pgx.Conn, from []string, size int) (w window, ok bool, err error) {
	// The names with # are none that a table's columns have.
	sql := fmt.Sprintf(`SELECT "#rows", "#due", "#kept", %s FROM (
		SELECT count(*) OVER () AS "#rows", count(*) FILTER (WHERE "#is due") OVER () AS "#due", count(*) FILTER (WHERE "#is kept") OVER () AS "#kept", %s FROM (
			SELECT %s, %s AS "#is due", %s AS "#is kept" FROM %s WHERE %s AND %s ORDER BY %s LIMIT %d) w) x ORDER BY %s LIMIT 1`,
		c.columns("", "::text"), c.columns("", ""),
		c.columns("", ""), c.due(), c.kept(), c.table.SQL(), c.within, c.beyond(">", from, 1), c.columns("", ""), size,
		c.columns("x.", " DESC")) // x., or it would be the order of the texts
	w.from, w.to = from, make([]string, len(c.order))
	dst := []any{&w.rows, &w.due, &w.kept}
	for i := range w.to {
		dst = append(dst, &w.to[i])
	}
	rows, err := conn.Query(ctx, sql, parameters(from)...)
	if err == nil {
		_, err = pgx.ForEachRow(rows, dst, func() error { ok = true; return nil })
	}
	if err != nil {
		return w, false, fmt.Errorf("look for rows of %s to delete: %w", c.table.Name, err)
	}
	return w, ok, nil
}

// batch is what one deleting transaction came to.
type batch struct {
	guarded bool // the guard held
	due     int64
	deleted int64
	last    []string // position of the last row that was due
}

// delete deletes up to size rows of a window, behind a position, in one transaction. A row that somebody else holds is left for the next
// pass. Whether the row is due is asked again of the version that gets locked.
func (c *condition) delete(ctx context.Context, conn *pgx.Conn, from, to []string, size int) (b batch, err error) {
	same := make([]string, len(c.table.Key))
	for i, k := range c.table.Key {
		same[i] = "t." + k.SQL() + " = d." + k.SQL()
	}
	sql := fmt.Sprintf(`WITH guard AS MATERIALIZED (SELECT %s AS holds),
		due AS MATERIALIZED (SELECT %s FROM %s WHERE (SELECT holds FROM guard) AND %s AND %s AND %s AND %s ORDER BY %s LIMIT %d FOR UPDATE SKIP LOCKED),
		gone AS (DELETE FROM %s t USING due d WHERE %s RETURNING 1)
		SELECT (SELECT holds FROM guard), (SELECT count(*) FROM due), (SELECT count(*) FROM gone), %s
		FROM (SELECT) one LEFT JOIN (SELECT %s FROM due ORDER BY %s LIMIT 1) d ON true`,
		c.guard,
		c.columns("", ""), c.table.SQL(), c.within, c.beyond(">", from, 1+len(c.order)), c.beyond("<=", to, 1), c.due(), c.columns("", ""), size,
		c.table.SQL(), strings.Join(same, " AND "),
		c.columns("d.", "::text"), c.columns("", ""), c.columns("", " DESC"))
	last := make([]*string, len(c.order))
	dst := []any{&b.guarded, &b.due, &b.deleted}
	for i := range last {
		dst = append(dst, &last[i])
	}
	if err := conn.QueryRow(ctx, sql, parameters(to, from)...).Scan(dst...); err != nil {
		return b, fmt.Errorf("delete rows of %s: %w", c.table.Name, err)
	}
	for _, v := range last {
		if v != nil {
			b.last = append(b.last, *v)
		}
	}
	return b, nil
}
