package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Column is a column with its type as SQL writes it.
type Column struct{ Name, Type string }

// SQL is the column's name as an identifier.
func (c Column) SQL() string { return Quote(c.Name) }

// Table is a table that is pruned.
type Table struct {
	Name
	OID         uint32
	Partitioned bool
	Owner       string
	Columns     []Column
	Key         []Column // what identifies a row: the primary key, or a unique index without NULLs
	leading     []string // first columns of the btree indexes that every row is in
}

// ReadTable looks a table up and refuses one that cannot be pruned by key.
func ReadTable(ctx context.Context, conn *pgx.Conn, name Name) (*Table, error) {
	t := &Table{Name: name}
	var kind string
	var partition, children bool
	err := conn.QueryRow(ctx, `SELECT c.oid, c.relkind::text, c.relispartition, pg_catalog.pg_get_userbyid(c.relowner)::text,
			c.relkind = 'r' AND EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid)
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2`,
		name.Schema, name.Table).Scan(&t.OID, &kind, &partition, &t.Owner, &children)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, configuration("no_table", "table %s does not exist in database %q; name it as schema.table", name, conn.Config().Database)
	case err != nil:
		return nil, fmt.Errorf("look up table %s: %w", name, err)
	case kind != "r" && kind != "p":
		return nil, configuration("table_kind", "%s is not a table", name)
	case partition:
		return nil, configuration("table_kind", "%s is a partition; name the partitioned table, whose rows the relay sends", name)
	case children:
		return nil, configuration("table_kind", "%s has tables that inherit from it, which is not supported; use partitions", name)
	}
	t.Partitioned = kind == "p"
	if err := t.readColumns(ctx, conn); err != nil {
		return nil, err
	}
	return t, t.readIndexes(ctx, conn)
}

func (t *Table) readColumns(ctx context.Context, conn *pgx.Conn) error {
	var c Column
	err := each(ctx, conn, []any{&c.Name, &c.Type}, func() error { t.Columns = append(t.Columns, c); return nil },
		`SELECT attname::text, pg_catalog.format_type(atttypid, -1) FROM pg_catalog.pg_attribute
		WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped ORDER BY attnum`, t.OID)
	if err != nil {
		return fmt.Errorf("look up the columns of %s: %w", t.Name, err)
	}
	return nil
}

// readIndexes finds the key and which columns lead an index. Only valid indexes count that hold every row.
func (t *Table) readIndexes(ctx context.Context, conn *pgx.Conn) error {
	var unique bool
	var names []string
	err := each(ctx, conn, []any{&unique, &names}, func() error {
		if unique && t.Key == nil {
			for _, name := range names {
				t.Key = append(t.Key, *t.Column(name))
			}
		}
		t.leading = append(t.leading, names[0])
		return nil
	}, `SELECT i.indisunique AND i.indimmediate AND bool_and(a.attnotnull), array_agg(a.attname::text ORDER BY k.n)
		FROM pg_catalog.pg_index i
		JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
		JOIN pg_catalog.pg_am m ON m.oid = c.relam AND m.amname = 'btree'
		CROSS JOIN LATERAL unnest(i.indkey[0:i.indnkeyatts - 1]) WITH ORDINALITY k(attnum, n)
		JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
		WHERE i.indrelid = $1 AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
		GROUP BY i.indexrelid, i.indisprimary, i.indisunique, i.indimmediate, i.indnkeyatts
		ORDER BY i.indisprimary DESC, i.indnkeyatts, i.indexrelid`, t.OID)
	if err != nil {
		return fmt.Errorf("look up the indexes of %s: %w", t.Name, err)
	}
	if t.Key == nil {
		return configuration("no_key", "table %s has neither a primary key nor a unique index on columns that are NOT NULL, so its rows cannot be deleted in order; add one", t.Name)
	}
	return nil
}

// Column finds a column; nil if there is none of the name.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// Indexed reports whether an index has its rows in the order of a column.
func (t *Table) Indexed(column string) bool {
	for _, name := range t.leading {
		if name == column {
			return true
		}
	}
	return false
}

// Hidden reports whether row-level security may hide rows of the table from this role.
func (t *Table) Hidden(ctx context.Context, conn *pgx.Conn) (hidden bool, err error) {
	if err = conn.QueryRow(ctx, `SELECT pg_catalog.row_security_active($1::oid)`, t.OID).Scan(&hidden); err != nil {
		return false, fmt.Errorf("ask whether row-level security applies to %s: %w", t.Name, err)
	}
	return hidden, nil
}

// CheckPrivileges reports what this role lacks, as the statements that grant it.
func (t *Table) CheckPrivileges(ctx context.Context, conn *pgx.Conn) error {
	var table, key bool
	err := conn.QueryRow(ctx, `SELECT has_schema_privilege($1::text, 'USAGE') AND has_table_privilege($2::oid, 'SELECT') AND has_table_privilege($2::oid, 'DELETE'),
		has_any_column_privilege($2::oid, 'UPDATE')`, t.Schema, t.OID).Scan(&table, &key)
	if err != nil {
		return fmt.Errorf("look up the privileges on %s: %w", t.Name, err)
	}
	if table && key {
		return nil
	}
	user := Quote(conn.Config().User)
	return configuration("privilege", "this role may not prune %s; run: GRANT USAGE ON SCHEMA %s TO %s; GRANT SELECT, DELETE, UPDATE (%s) ON %s TO %s "+
		"(UPDATE on one column is what PostgreSQL asks for to skip rows that others hold)",
		t.Name, Quote(t.Schema), user, t.Key[0].SQL(), t.SQL(), user)
}
