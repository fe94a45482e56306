package replication

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// eachRow runs a query and calls do for each row that was scanned into dst.
func eachRow(ctx context.Context, conn *pgx.Conn, dst []any, do func() error, sql string, args ...any) error {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, dst, do)
	return err
}
