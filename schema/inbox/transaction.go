package inbox

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
)

// transaction is what both drivers can do.
type transaction interface {
	// exec returns how many rows were added or changed.
	exec(ctx context.Context, sql string, args ...any) (int64, error)
}

type pgxTx struct{ pgx.Tx }

func (tx pgxTx) exec(ctx context.Context, sql string, args ...any) (int64, error) {
	tag, err := tx.Exec(ctx, sql, args...)
	return tag.RowsAffected(), err
}

type sqlTx struct{ *sql.Tx }

func (tx sqlTx) exec(ctx context.Context, sql string, args ...any) (int64, error) {
	result, err := tx.ExecContext(ctx, sql, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
