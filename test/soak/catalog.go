package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// catalogKinds are changes that an operator makes while the relay runs.
func catalogKinds() []*kind {
	return []*kind{{name: "publication-altered", uses: catalog, weight: 5, gentle: true, do: alterPublication}}
}

// alterPublication takes another table into the publication and out again, while it is written.
func alterPublication(ctx context.Context, r *round, f fault) error {
	const times = 3
	for range times {
		for _, change := range []string{"ADD TABLE other", "DROP TABLE other"} {
			err := r.withConn(ctx, func(conn *pgx.Conn) error {
				_, err := conn.Exec(ctx, `ALTER PUBLICATION outbox_relay `+change)
				return err
			})
			if err != nil {
				return fmt.Errorf("alter the publication: %w", err)
			}
			pause(ctx, f.lasts/(2*time.Duration(times)))
		}
	}
	return nil
}

// writeOthers writes a table that is no outbox until ctx ends: WAL that the relay must pass over.
func (r *round) writeOthers(ctx context.Context) {
	for ctx.Err() == nil {
		err := r.withConn(ctx, func(conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, `INSERT INTO other SELECT n, repeat('x', 200) FROM generate_series(1, $1::int) n`, r.plan.others)
			return err
		})
		if err != nil && ctx.Err() == nil {
			r.note("another table was not written: %v", err)
		}
		pause(ctx, 50*time.Millisecond)
	}
}
