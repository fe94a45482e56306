package outbox_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/internal/dbtest"
	"github.com/outbox-relay/outbox-relay/schema/outbox"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.WithShared(m)) }

// writer is one of the ways to write.
type writer struct {
	name string
	// open connects to the database and returns a function that writes in a transaction of its own, which it commits
	// unless then returns an error.
	open func(t testing.TB, db *pgtest.DB) writeFunc
}

type writeFunc func(ctx context.Context, table outbox.Table, then func() error, events ...outbox.Event) error

func writers() []writer {
	all := []writer{{"pgx", openPgx("")}, {"pgx with the simple protocol", openPgx("&default_query_exec_mode=simple_protocol")}}
	for _, driver := range dbtest.Drivers {
		all = append(all, writer{"database/sql with " + driver, openSQL(driver)})
	}
	return all
}

// openPgx connects with more parameters in the connection string: poolers that do not keep prepared statements ask for
// the simple protocol.
func openPgx(parameters string) func(t testing.TB, db *pgtest.DB) writeFunc {
	return func(t testing.TB, db *pgtest.DB) writeFunc {
		t.Helper()
		conn, err := pgx.Connect(dbtest.Bounded(t), db.DSN+parameters)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(context.Background()) })
		return func(ctx context.Context, table outbox.Table, then func() error, events ...outbox.Event) error {
			return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
				if err := table.Write(ctx, tx, events...); err != nil {
					return err
				}
				return then()
			})
		}
	}
}

func openSQL(driver string) func(t testing.TB, db *pgtest.DB) writeFunc {
	return func(t testing.TB, db *pgtest.DB) writeFunc {
		t.Helper()
		pool := dbtest.Open(t, driver, db)
		return func(ctx context.Context, table outbox.Table, then func() error, events ...outbox.Event) error {
			tx, err := pool.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
			if err := table.WriteSQL(ctx, tx, events...); err != nil {
				return err
			}
			if err := then(); err != nil {
				return err
			}
			return tx.Commit()
		}
	}
}

func commit() error { return nil }

// forEachWriter runs a test with a database of its own for each way to write.
func forEachWriter(t *testing.T, ddl string, test func(t *testing.T, db *pgtest.DB, write writeFunc)) {
	t.Helper()
	for _, w := range writers() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.NewDB(t)
			db.Exec(t, ddl)
			test(t, db, w.open(t, db))
		})
	}
}

// forEachReference is forEachWriter for each shape of the reference table.
func forEachReference(t *testing.T, test func(t *testing.T, db *pgtest.DB, write writeFunc)) {
	t.Helper()
	for _, shape := range []string{"plain", "partitioned"} {
		ddl, _ := schema.DDLNamed(shape)
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			forEachWriter(t, ddl, test)
		})
	}
}

// numbered is the reference table with numbers that are counted.
func numbered() (ddl string, table outbox.Table) {
	return schema.DDL + schema.DDLSequence, outbox.Table{Sequence: "sequence", Counters: "outbox_sequence"}
}
