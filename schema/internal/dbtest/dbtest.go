// Package dbtest is what the tests of outbox and inbox have in common: databases by each of the drivers that users have.
package dbtest

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "github.com/lib/pq"              // the driver "postgres"

	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// Drivers are those of database/sql.
var Drivers = []string{"pgx", "postgres"}

// timeout is for all that a test does with its database.
const timeout = time.Minute

// Bounded is a context that ends with the test, or after a minute.
func Bounded(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	t.Cleanup(cancel)
	return ctx
}

// Open opens a database by database/sql. It is closed when the test ends.
func Open(t testing.TB, driver string, db *pgtest.DB) *sql.DB {
	t.Helper()
	pool, err := sql.Open(driver, db.DSN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return pool
}

// Lines returns what a query for one text column finds.
func Lines(t testing.TB, db *pgtest.DB, query string) []string {
	t.Helper()
	rows, err := db.Connect(t).Query(Bounded(t), query)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return found
}
