package inbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// move notes the sequence if it is a higher one. It locks the aggregate's row even if
// it is not, so transactions that apply events of one aggregate follow each other.
const move = `INSERT INTO inbox_position AS p (consumer, aggregatetype, aggregateid, sequence) VALUES ($1, $2, $3, $4)
	ON CONFLICT (consumer, aggregatetype, aggregateid)
	DO UPDATE SET sequence = excluded.sequence, processed_at = excluded.processed_at WHERE p.sequence < excluded.sequence`

// Aggregate is what events are about: its type and id as in the outbox. The id is the
// record's key.
type Aggregate struct{ Type, ID string }

// Advance notes that consumer applies the event with this sequence in tx, and reports
// true, if it is newer than the last one applied of the aggregate. Otherwise it
// reports false, for an event that is out of date or the same again. Gaps in the
// sequence mean nothing.
//
// It is not a substitute for Once where each event has an effect of its own: an older
// event that comes late is one that has not been handled.
func Advance(ctx context.Context, tx pgx.Tx, consumer string, of Aggregate, sequence int64) (bool, error) {
	return advance(ctx, pgxTx{tx}, consumer, of, sequence)
}

// AdvanceSQL is Advance for database/sql.
func AdvanceSQL(ctx context.Context, tx *sql.Tx, consumer string, of Aggregate, sequence int64) (bool, error) {
	return advance(ctx, sqlTx{tx}, consumer, of, sequence)
}

func advance(ctx context.Context, tx transaction, consumer string, of Aggregate, sequence int64) (bool, error) {
	if consumer == "" || of.Type == "" || of.ID == "" {
		return false, errors.New("note the position of an aggregate: the consumer's name, the aggregate's type or its id is empty")
	}
	moved, err := tx.exec(ctx, move, consumer, of.Type, of.ID, sequence)
	if err != nil {
		return false, fmt.Errorf("note that consumer %q has applied event %d of %s %q: %w", consumer, sequence, of.Type, of.ID, err)
	}
	return moved > 0, nil
}
