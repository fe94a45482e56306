package outbox

import (
	"context"
	"database/sql"
)

// sqlTx runs one statement after the other: database/sql has no pipeline.
type sqlTx struct{ *sql.Tx }

func (sqlTx) perInsert() int { return maxRows }

func (tx sqlTx) run(ctx context.Context, statements []statement) error {
	for _, s := range statements {
		if _, err := tx.ExecContext(ctx, s.sql, s.args...); err != nil {
			return err
		}
	}
	return nil
}

func (tx sqlTx) query(ctx context.Context, s statement, dest []any, each func()) error {
	rows, err := tx.QueryContext(ctx, s.sql, s.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		each()
	}
	return rows.Err()
}
