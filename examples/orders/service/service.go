// Package service is the order service of the example. Each of its functions changes an order and writes the event about
// the change in the same transaction, which the caller begins and commits: that is the outbox pattern.
package service

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/outbox"
)

//go:embed tables.sql
var tables string

// AggregateType is that of the events, and Topic is where outbox-relay sends them by default.
const (
	AggregateType = "order"
	Topic         = "outbox.event." + AggregateType
)

// Event is what the service tells about a change. It is the payload, as JSON.
type Event struct {
	Order string `json:"order"`
	State string `json:"state"`
	Cents int64  `json:"cents"` // by which the price has changed
	Total int64  `json:"total"` // the price now, in cents
}

// CreateTables creates the service's tables, the outbox among them.
func CreateTables(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, schema.DDL+tables); err != nil {
		return fmt.Errorf("create the tables of the order service: %w", err)
	}
	return nil
}

// Place places a new order.
func Place(ctx context.Context, tx pgx.Tx, id string, cents int64) error {
	const insert = `INSERT INTO orders (id, state, cents, version) VALUES ($1, 'placed', $2, 1) RETURNING state, cents, version`
	return change(ctx, tx, "OrderPlaced", id, cents, tx.QueryRow(ctx, insert, id, cents))
}

// Add adds something to an order, which makes it dearer.
func Add(ctx context.Context, tx pgx.Tx, id string, cents int64) error {
	const update = `UPDATE orders SET cents = cents + $2, version = version + 1 WHERE id = $1 RETURNING state, cents, version`
	return change(ctx, tx, "OrderExtended", id, cents, tx.QueryRow(ctx, update, id, cents))
}

// Ship ships an order.
func Ship(ctx context.Context, tx pgx.Tx, id string) error {
	const update = `UPDATE orders SET state = 'shipped', version = version + 1 WHERE id = $1 RETURNING state, cents, version`
	return change(ctx, tx, "OrderShipped", id, 0, tx.QueryRow(ctx, update, id))
}

// change takes the row as it is after a change and writes the event about it. The row is locked by now, so no other
// transaction can give the order the same version, or a later one that is committed before.
func change(ctx context.Context, tx pgx.Tx, what, id string, cents int64, row pgx.Row) error {
	e := Event{Order: id, Cents: cents}
	var version int64
	if err := row.Scan(&e.State, &e.Total, &version); err != nil {
		return fmt.Errorf("change order %s: %w", id, err)
	}
	return outbox.Table{Sequence: "sequence"}.Write(ctx, tx, outbox.Event{
		AggregateType: AggregateType, AggregateID: id, Type: what, Payload: e, Sequence: version,
	})
}
