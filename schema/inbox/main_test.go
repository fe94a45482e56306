package inbox_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/inbox"
	"github.com/outbox-relay/outbox-relay/schema/internal/dbtest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.WithShared(m)) }

// tx is a transaction of either kind, and what a consumer does in it.
type tx interface {
	once(ctx context.Context, consumer, id string, fn func() error) (bool, error)
	advance(ctx context.Context, consumer string, of inbox.Aggregate, sequence int64) (bool, error)
	exec(ctx context.Context, sql string) error
	commit(ctx context.Context) error
	rollback(ctx context.Context) error
}

type pgxTx struct{ pgx.Tx }

func (tx pgxTx) once(ctx context.Context, consumer, id string, fn func() error) (bool, error) {
	return inbox.Once(ctx, tx.Tx, consumer, id, fn)
}

func (tx pgxTx) advance(ctx context.Context, consumer string, of inbox.Aggregate, sequence int64) (bool, error) {
	return inbox.Advance(ctx, tx.Tx, consumer, of, sequence)
}

func (tx pgxTx) exec(ctx context.Context, sql string) error {
	_, err := tx.Exec(ctx, sql)
	return err
}

func (tx pgxTx) commit(ctx context.Context) error   { return tx.Commit(ctx) }
func (tx pgxTx) rollback(ctx context.Context) error { return tx.Rollback(ctx) }

type sqlTx struct{ *sql.Tx }

func (tx sqlTx) once(ctx context.Context, consumer, id string, fn func() error) (bool, error) {
	return inbox.OnceSQL(ctx, tx.Tx, consumer, id, fn)
}

func (tx sqlTx) advance(ctx context.Context, consumer string, of inbox.Aggregate, sequence int64) (bool, error) {
	return inbox.AdvanceSQL(ctx, tx.Tx, consumer, of, sequence)
}

func (tx sqlTx) exec(ctx context.Context, sql string) error {
	_, err := tx.ExecContext(ctx, sql)
	return err
}

func (tx sqlTx) commit(context.Context) error   { return tx.Commit() }
func (tx sqlTx) rollback(context.Context) error { return tx.Rollback() }

// begin is a way to begin transactions, any number of them at once.
type begin func(t testing.TB) tx

// forEachDriver runs a test with a database of its own for each kind of transaction.
func forEachDriver(t *testing.T, test func(t *testing.T, db *pgtest.DB, begin begin)) {
	t.Helper()
	type kind struct {
		name string
		open func(t testing.TB, db *pgtest.DB) begin
	}
	kinds := []kind{{"pgx", openPgx}}
	for _, driver := range dbtest.Drivers {
		kinds = append(kinds, kind{"database/sql with " + driver, openSQL(driver)})
	}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.NewDB(t)
			db.Exec(t, schema.DDLInbox+`CREATE TABLE effects (event text)`)
			test(t, db, kind.open(t, db))
		})
	}
}

func openPgx(t testing.TB, db *pgtest.DB) begin {
	return func(t testing.TB) tx {
		t.Helper()
		begun, err := db.Connect(t).Begin(dbtest.Bounded(t))
		if err != nil {
			t.Fatal(err)
		}
		return pgxTx{begun}
	}
}

func openSQL(driver string) func(t testing.TB, db *pgtest.DB) begin {
	return func(t testing.TB, db *pgtest.DB) begin {
		t.Helper()
		pool := dbtest.Open(t, driver, db)
		return func(t testing.TB) tx {
			t.Helper()
			begun, err := pool.BeginTx(dbtest.Bounded(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			return sqlTx{begun}
		}
	}
}
