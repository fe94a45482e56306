package load_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// checkExtremes demands that some transactions and payloads are far above the usual. A savepoint's rows have an xmin of
// their own, so a transaction is told from below.
func checkExtremes(t *testing.T, ctx context.Context, conn *pgx.Conn) {
	t.Helper()
	var rows, bytes int
	err := conn.QueryRow(ctx, `SELECT max(n), max(bytes) FROM (
		SELECT count(*) n, max(length(payload::text)) bytes FROM outbox GROUP BY xmin::text) t`).Scan(&rows, &bytes)
	if err != nil {
		t.Fatal(err)
	}
	if rows <= 50 || bytes < 10_000 || bytes > 21_000 {
		t.Errorf("at most %d rows in a transaction and %d bytes in a payload, want more than 50 and 10,000 to 21,000", rows, bytes)
	}
}
