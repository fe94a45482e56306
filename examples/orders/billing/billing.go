// Package billing is the consumer of the example. It adds up what the order service's events say an order costs, which
// must happen once for each event, although an event may come twice.
package billing

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/examples/orders/service"
	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/inbox"
)

//go:embed tables.sql
var tables string

// name is that of the consumer, in the inbox and as a group in Kafka.
const name = "billing"

// Event is a record of the order service.
type Event struct {
	ID       string // the same for a repeat
	Sequence int64  // number of the event within its order
	service.Event
}

// CreateTables creates billing's tables, the inbox among them. They may be in another database than the orders.
func CreateTables(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, schema.DDLInbox+tables); err != nil {
		return fmt.Errorf("create the tables of billing: %w", err)
	}
	return nil
}

var errForeign = errors.New("it lacks an id, an order or a sequence: somebody else writes to this topic, or the relay was started without " +
	"-table.fields.additional.placement=sequence:header")

// Parse reads a record. The relay sends the id as a header, and the sequence with
// -table.fields.additional.placement=sequence:header.
func Parse(r *kgo.Record) (Event, error) {
	var e Event
	var err error
	for _, h := range r.Headers {
		switch h.Key {
		case "id":
			e.ID = string(h.Value)
		case "sequence":
			e.Sequence, err = strconv.ParseInt(string(h.Value), 10, 64)
		}
	}
	if err == nil {
		err = json.Unmarshal(r.Value, &e.Event)
	}
	if err == nil && (e.ID == "" || e.Order == "" || e.Sequence == 0) {
		err = errForeign
	}
	if err != nil {
		return Event{}, fmt.Errorf("read record %d of %s/%d: %w", r.Offset, r.Topic, r.Partition, err)
	}
	return e, nil
}

// Apply puts an event on the invoice of its order, and reports whether it was new. A repeat changes nothing. Costs add up
// in any order; the state is that of the newest event, so an event that comes late does not bring an old state back.
func Apply(ctx context.Context, db *sql.DB, e Event) (bool, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("begin to bill order %s: %w", e.Order, err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	fresh, err := inbox.OnceSQL(ctx, tx, name, e.ID, func() error { return bill(ctx, tx, e) })
	if err != nil {
		return false, err
	}
	if err := tx.Commit(); err != nil {
		return false, fmt.Errorf("bill order %s: %w", e.Order, err)
	}
	return fresh, nil
}

func bill(ctx context.Context, tx *sql.Tx, e Event) error {
	order := inbox.Aggregate{Type: service.AggregateType, ID: e.Order}
	newer, err := inbox.AdvanceSQL(ctx, tx, name, order, e.Sequence)
	if err != nil {
		return err
	}
	const upsert = `INSERT INTO invoices AS i (order_id, cents, events, state) VALUES ($1, $2, 1, $3)
		ON CONFLICT (order_id) DO UPDATE SET cents = i.cents + excluded.cents, events = i.events + 1,
			state = CASE WHEN $4 THEN excluded.state ELSE i.state END`
	if _, err := tx.ExecContext(ctx, upsert, e.Order, e.Cents, e.State, newer); err != nil {
		return fmt.Errorf("bill order %s: %w", e.Order, err)
	}
	return nil
}
