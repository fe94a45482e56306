package outbox

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// pgxTx sends all statements before it reads the first answer.
type pgxTx struct{ pgx.Tx }

// perInsert is 1: the statement is prepared once for batches of every length.
func (pgxTx) perInsert() int { return 1 }

func (tx pgxTx) run(ctx context.Context, statements []statement) error {
	if len(statements) == 1 {
		_, err := tx.Exec(ctx, statements[0].sql, statements[0].args...)
		return err
	}
	var batch pgx.Batch
	for _, s := range statements {
		batch.Queue(s.sql, s.args...)
	}
	return tx.SendBatch(ctx, &batch).Close() // which returns the first error
}

func (tx pgxTx) query(ctx context.Context, s statement, dest []any, each func()) error {
	rows, err := tx.Query(ctx, s.sql, s.args...)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, dest, func() error {
		each()
		return nil
	})
	return err
}
