package outbox

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Write writes events to the reference table, in the caller's transaction. They
// become visible, and are relayed, when it commits. See Table.Write.
func Write(ctx context.Context, tx pgx.Tx, events ...Event) error {
	return Table{}.Write(ctx, tx, events...)
}

// WriteSQL is Write for database/sql.
func WriteSQL(ctx context.Context, tx *sql.Tx, events ...Event) error {
	return Table{}.WriteSQL(ctx, tx, events...)
}

// Write writes events in the order given, in one round trip however many there are
// (one more with Counters). After an error the transaction must be rolled back. The
// error wraps ErrInvalid if an event can not be sent as it is; it never holds a
// payload.
func (t Table) Write(ctx context.Context, tx pgx.Tx, events ...Event) error {
	return t.write(ctx, pgxTx{tx}, events)
}

// WriteSQL is Write for database/sql: rows go by INSERTs of up to 500.
func (t Table) WriteSQL(ctx context.Context, tx *sql.Tx, events ...Event) error {
	return t.write(ctx, sqlTx{tx}, events)
}

// transaction is what both drivers can do.
type transaction interface {
	// perInsert is how many rows an INSERT should hold.
	perInsert() int
	run(ctx context.Context, statements []statement) error
	// query scans each row into dest and then calls each.
	query(ctx context.Context, s statement, dest []any, each func()) error
}

func (t Table) write(ctx context.Context, tx transaction, events []Event) error {
	t = t.withDefaults()
	rows, err := t.check(events)
	if err != nil || len(rows) == 0 {
		return err
	}
	if t.Counters != "" {
		err = t.number(ctx, tx, rows)
	}
	if err == nil {
		err = tx.run(ctx, t.statements(rows, tx.perInsert()))
	}
	if err != nil {
		return fmt.Errorf("write %d events to table %s: %w", len(rows), t.Name, err)
	}
	return nil
}
