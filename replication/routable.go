package replication

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// refuseUnroutable keeps the slot from being made while a table has a shape of which no row could ever be relayed.
// Where a slot exists it is not asked: rows of an older shape may wait in it, which must be delivered before the
// first row that cannot be. The monitor tells then.
func (o *opener) refuseUnroutable(ctx context.Context) error {
	if o.cfg.Routable == nil {
		return nil
	}
	problem, err := bounded(ctx, func(ctx context.Context) (error, error) {
		tables, err := findTables(ctx, o.sql, o.cfg)
		if ClassOf(err) == Configuration {
			return nil, nil // the publication was allowed to lack them
		}
		if err == nil {
			err = markPublished(ctx, o.sql, o.cfg.Publication, tables)
		}
		if err != nil {
			return nil, err
		}
		return unroutable(ctx, o.sql, o.cfg, tables)
	})
	if err != nil {
		return err
	}
	if problem != nil {
		return configuration("table_columns", fmt.Errorf("no row of it could be relayed: %w", problem))
	}
	return nil
}

// unroutable tells which published tables have a shape that cannot be relayed: a column that the options name is
// missing, or of a type with which it cannot be what they want, or a column list hides it.
func unroutable(ctx context.Context, conn *pgx.Conn, cfg *Config, tables []table) (problem, err error) {
	var problems []error
	for i := range tables {
		if !tables[i].published {
			continue
		}
		rel, err := describeTable(ctx, conn, cfg.Publication, &tables[i])
		if errors.Is(err, pgx.ErrNoRows) {
			continue // it was dropped just now
		}
		if err != nil {
			return nil, fmt.Errorf("look up the columns of %s: %w", tables[i].quoted(), err)
		}
		if err := cfg.Routable(rel); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...), nil
}
