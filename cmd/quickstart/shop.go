package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/schema"
)

// ordersTable is the shop's own table, the one the events are about.
const ordersTable = `CREATE TABLE orders (id bigint PRIMARY KEY, state text NOT NULL)`

// insertEvent writes an event. It returns the payload as PostgreSQL prints it, which is what must arrive.
const insertEvent = `INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload)
	VALUES (gen_random_uuid(), 'order', $1, $2, $3) RETURNING id::text, payload::text`

// states are what becomes of an order, one after the other.
var states = []string{"placed", "paid", "packed", "shipped", "delivered"}

// order is one that is not delivered yet; step counts states.
type order struct {
	id   int
	step int
}

// shop changes orders and writes an event about each change in the same transaction: that is the outbox pattern.
type shop struct {
	conn   *pgx.Conn
	placed int      // orders so far
	orders []*order // the open ones, oldest first
}

// openShop connects and creates the tables.
func openShop(ctx context.Context, dsn string) (*shop, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("open the shop: %w", err)
	}
	s := &shop{conn: conn}
	for _, ddl := range []string{schema.DDL, ordersTable} {
		if _, err := conn.Exec(ctx, ddl); err != nil {
			return nil, errors.Join(fmt.Errorf("create the shop's tables: %w", err), s.close())
		}
	}
	return s, nil
}

// open is the number of orders that are not delivered yet.
func (s *shop) open() int { return len(s.orders) }

// work moves each open order on by one state, and places a new one if asked to, all in one transaction. It returns
// the events that it has committed. They count from the moment just before COMMIT is sent, so the time that the
// commit itself takes is part of what is shown.
func (s *shop) work(ctx context.Context, place bool) ([]expected, error) {
	if place {
		s.placed++
		s.orders = append(s.orders, &order{id: s.placed})
	}
	tx, err := s.conn.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin a transaction of the shop: %w", err)
	}
	var events []expected
	for _, o := range s.orders {
		e, err := o.next(ctx, tx)
		if err != nil {
			return nil, errors.Join(err, tx.Rollback(ctx))
		}
		events = append(events, e)
	}
	committed := time.Now()
	if err := tx.Commit(ctx); err != nil {
		return nil, fmt.Errorf("commit a transaction of the shop: %w", err)
	}
	for i := range events {
		events[i].committed = committed
	}
	for len(s.orders) > 0 && s.orders[0].step == len(states) { // the oldest is the furthest
		s.orders = s.orders[1:]
	}
	return events, nil
}

// next moves an order to its next state and writes the event about it.
func (o *order) next(ctx context.Context, tx pgx.Tx) (expected, error) {
	state := states[o.step]
	o.step++
	const upsert = `INSERT INTO orders VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET state = excluded.state`
	if _, err := tx.Exec(ctx, upsert, o.id, state); err != nil {
		return expected{}, fmt.Errorf("change order %d: %w", o.id, err)
	}
	e := expected{key: fmt.Sprint(o.id)}
	payload := map[string]any{"id": o.id, "step": o.step, "state": state}
	if err := tx.QueryRow(ctx, insertEvent, e.key, "Order"+state, payload).Scan(&e.id, &e.value); err != nil {
		return expected{}, fmt.Errorf("write an event of order %d: %w", o.id, err)
	}
	return e, nil
}

func (s *shop) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return s.conn.Close(ctx)
}
