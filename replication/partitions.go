package replication

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// checkPartitions refuses an outbox with a partition whose rows PostgreSQL never
// writes into the WAL. A publication takes the root all the same, and leaves such
// rows out without a word. It takes no lock on the partitions.
func checkPartitions(ctx context.Context, conn *pgx.Conn, tables []table) error {
	roots := make([]uint32, 0, len(tables))
	for i := range tables {
		if tables[i].kind == "p" {
			roots = append(roots, tables[i].oid)
		}
	}
	if len(roots) == 0 {
		return nil
	}
	var errs []error
	var root, schema, name string
	var foreign bool
	err := eachRow(ctx, conn, []any{&root, &schema, &name, &foreign}, func() error {
		kind, way := "unlogged", "ALTER TABLE "+quoteIdent(schema)+"."+quoteIdent(name)+" SET LOGGED"
		if foreign {
			kind, way = "a foreign table", "ALTER TABLE "+root+" DETACH PARTITION "+quoteIdent(schema)+"."+quoteIdent(name)
		}
		errs = append(errs, remedy(fmt.Errorf("partition %s.%s of the outbox %s is %s, so that PostgreSQL does not replicate its rows", schema, name, root, kind), way))
		return nil
	}, `WITH RECURSIVE parts (root, part) AS (
			SELECT r, r FROM unnest($1::oid[]) r
			UNION SELECT p.root, i.inhrelid FROM parts p JOIN pg_catalog.pg_inherits i ON i.inhparent = p.part AND NOT i.inhdetachpending)
		SELECT p.root::regclass::text, n.nspname::text, c.relname::text, c.relkind = 'f' FROM parts p
			JOIN pg_catalog.pg_class c ON c.oid = p.part JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind = 'f' OR c.relpersistence = 'u' AND c.relkind = 'r' ORDER BY 1, 2, 3`, roots)
	if err != nil {
		return fmt.Errorf("look for the partitions of the outbox table: %w", err)
	}
	if err := errors.Join(errs...); err != nil {
		return configuration("table_kind", err)
	}
	return nil
}
