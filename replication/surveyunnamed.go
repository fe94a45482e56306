package replication

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// unnamed looks for tables that the publication names and no list does: the stream tells
// their rows from other tables' by their columns.
func (s *Survey) unnamed(ctx context.Context, o *opener) error {
	if o.cfg.Tables.None {
		return nil
	}
	var others []table
	var t table
	err := eachRow(ctx, o.sql, []any{&t.schema, &t.name}, func() error {
		if !o.cfg.Tables.Match(t.schema, t.name) && !o.cfg.Tables.Excludes(t.schema, t.name) {
			others = append(others, t)
		}
		return nil
	}, `SELECT n.nspname::text, c.relname::text FROM pg_catalog.pg_publication p JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
		JOIN pg_catalog.pg_class c ON c.oid = r.prrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE p.pubname = $1 ORDER BY 1, 2`, o.cfg.Publication)
	if err != nil {
		return fmt.Errorf("look up the tables of publication %q: %w", o.cfg.Publication, err)
	}
	for i := range others {
		rel, err := describeTable(ctx, o.sql, o.cfg.Publication, &others[i])
		if errors.Is(err, pgx.ErrNoRows) {
			continue // it was dropped just now
		}
		if err != nil {
			return fmt.Errorf("look up the columns of %s: %w", others[i].quoted(), err)
		}
		s.Unnamed = append(s.Unnamed, rel)
	}
	return nil
}
