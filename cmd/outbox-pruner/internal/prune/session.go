package prune

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// closeTimeout bounds the farewell to a server that may not answer any more.
const closeTimeout = 2 * time.Second

// open connects and sets what keeps the pruner out of the application's way.
//
// Nothing that the pruner commits needs to survive a crash: a row that is back is deleted again, and proof that is lost
// keeps rows. So it does not wait for the disk, nor for a synchronous standby, and the application's commits do not wait for it.
// Rows are looked up by key whatever the planner's statistics say of a table that grows and shrinks.
func (p *Pruner) open(ctx context.Context) (*pgx.Conn, error) {
	conn, err := p.cfg.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"lock_timeout":       millis(p.cfg.LockTimeout),
		"statement_timeout":  millis(p.cfg.StatementTimeout),
		"synchronous_commit": "off",
		"enable_hashjoin":    "off",
		"enable_mergejoin":   "off",
		"jit":                "off",
	} {
		if _, err := conn.Exec(ctx, `SELECT pg_catalog.set_config($1, $2, false)`, name, value); err != nil {
			closeConn(conn)
			return nil, fmt.Errorf("set %s: %w", name, err)
		}
	}
	return conn, nil
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// closeConn gives a connection back, without regard to what was going on.
func closeConn(conn *pgx.Conn) {
	if conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	conn.Close(ctx) //nolint:errcheck // nothing depends on it
	select {
	case <-conn.PgConn().CleanupDone():
	case <-ctx.Done():
	}
}

// lockSpace keeps the pruner's advisory locks apart from others': the letters obpr, above a table's OID.
const lockSpace = 0x6f627072 << 32

// lock takes the table for one pass. Another pruner has it if ok is false.
func lock(ctx context.Context, conn *pgx.Conn, table uint32) (ok bool, err error) {
	err = conn.QueryRow(ctx, `SELECT pg_catalog.pg_try_advisory_lock($1)`, int64(lockSpace)|int64(table)).Scan(&ok)
	if err != nil {
		return false, fmt.Errorf("take the pruner's advisory lock: %w", err)
	}
	return ok, nil
}

// unlock gives it back. Should that fail, the connection is broken, and the lock gone with it.
func unlock(ctx context.Context, conn *pgx.Conn, table uint32) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	conn.Exec(ctx, `SELECT pg_catalog.pg_advisory_unlock($1)`, int64(lockSpace)|int64(table)) //nolint:errcheck // as said above
}
