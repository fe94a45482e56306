package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ground identifies the versions of the table's row in pg_class and of its schema's row: another name or another schema, even for
// a moment, writes a new one. VACUUM and ANALYZE change theirs in place, other DDL (such as GRANT) does not, and passes for a move.
// publishable is PostgreSQL's word that a publication can carry the table.
//
// A table that goes by another name than the one that it was looked up by is an error: readers choose tables by name.
func (t *Table) ground(ctx context.Context, conn *pgx.Conn) (ground string, publishable bool, err error) {
	var named bool
	err = conn.QueryRow(ctx, `SELECT 'c' || c.xmin::text || '/' || n.xmin::text, n.nspname = $2 AND c.relname = $3, pg_catalog.pg_relation_is_publishable(c.oid)
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1`, t.OID, t.Schema, t.Table).
		Scan(&ground, &named, &publishable)
	switch {
	case err == nil && named:
		return ground, publishable, nil
	case err == nil, errors.Is(err, pgx.ErrNoRows):
		return "", false, transient("changed", "table %s was dropped or renamed while it was looked at", t.Name)
	}
	return "", false, fmt.Errorf("look up the name of %s: %w", t.Name, err)
}
