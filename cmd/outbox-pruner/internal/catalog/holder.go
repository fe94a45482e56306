package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Writer is a transaction that has written and is not finished.
type Writer struct {
	Who string
	Age time.Duration
}

// OldestWriter finds the oldest of all databases, as far as this role may see it (pg_read_all_stats); prepared ones anybody sees.
func OldestWriter(ctx context.Context, conn *pgx.Conn) (Writer, error) {
	var w Writer
	var seconds float64
	err := conn.QueryRow(ctx, `SELECT coalesce(max(who), ''), coalesce(max(seconds), 0)::float8 FROM (
		SELECT * FROM (
			SELECT 'pid ' || pid || ', ' || coalesce(nullif(application_name, ''), 'no application name') || ', ' || coalesce(state, '') AS who, extract(epoch FROM clock_timestamp() - xact_start) AS seconds
			FROM pg_catalog.pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_catalog.pg_backend_pid()
			UNION ALL SELECT 'prepared transaction ' || gid, extract(epoch FROM clock_timestamp() - prepared) FROM pg_catalog.pg_prepared_xacts) w
		ORDER BY seconds DESC NULLS LAST LIMIT 1) o`).Scan(&w.Who, &seconds)
	if err != nil {
		return w, fmt.Errorf("look for the oldest transaction: %w", err)
	}
	w.Age = time.Duration(seconds * float64(time.Second))
	return w, nil
}
