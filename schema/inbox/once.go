package inbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// record adds the event unless it is there. It waits for another transaction that has
// added the same event and not ended yet.
const record = `INSERT INTO inbox (consumer, event_id) VALUES ($1, $2) ON CONFLICT (consumer, event_id) DO NOTHING`

// Once calls fn unless consumer has handled the event before, and reports whether it
// did. fn has the effect, in tx. The event counts as handled when tx commits; after an
// error, fn's among them, tx must be rolled back, and the event can come again.
//
// If another transaction is just handling the same event, Once waits for its end:
// after its commit the event is skipped, after its rollback fn is called. In the
// isolation levels above READ COMMITTED PostgreSQL answers with a serialization
// failure (40001) instead of skipping, after which the transaction is to be tried
// again, as always there.
func Once(ctx context.Context, tx pgx.Tx, consumer, eventID string, fn func() error) (bool, error) {
	return once(ctx, pgxTx{tx}, consumer, eventID, fn)
}

// OnceSQL is Once for database/sql.
func OnceSQL(ctx context.Context, tx *sql.Tx, consumer, eventID string, fn func() error) (bool, error) {
	return once(ctx, sqlTx{tx}, consumer, eventID, fn)
}

func once(ctx context.Context, tx transaction, consumer, eventID string, fn func() error) (bool, error) {
	if consumer == "" || eventID == "" {
		return false, errors.New("record an event in the inbox: the consumer's name or the event's id is empty; the id is the record's header \"id\"")
	}
	added, err := tx.exec(ctx, record, consumer, eventID)
	if err != nil {
		return false, fmt.Errorf("record event %s of consumer %q in the inbox: %w", eventID, consumer, err)
	}
	if added == 0 {
		return false, nil
	}
	return true, fn()
}
