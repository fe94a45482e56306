package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/examples/orders/service"
)

// findEvents lets the shop look up the events that it has just written, which only this demo wants.
const findEvents = `CREATE INDEX ON outbox (aggregateid, sequence)`

// steps are what becomes of an order, one after the other. Each writes an event.
var steps = []func(ctx context.Context, tx pgx.Tx, id string) error{place, extend, extend, extend, service.Ship}

func place(ctx context.Context, tx pgx.Tx, id string) error  { return service.Place(ctx, tx, id, 1250) }
func extend(ctx context.Context, tx pgx.Tx, id string) error { return service.Add(ctx, tx, id, 300) }

// order is one that is not shipped yet; step counts steps.
type order struct {
	id   string
	step int
}

// shop lets the order service of examples/orders change orders.
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
	if err := service.CreateTables(ctx, conn); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if _, err := conn.Exec(ctx, findEvents); err != nil {
		return nil, errors.Join(fmt.Errorf("index the outbox: %w", err), s.close())
	}
	return s, nil
}

// open is the number of orders that are not shipped yet.
func (s *shop) open() int { return len(s.orders) }

// work moves each open order on by one step, and places a new one if asked to, all in one transaction. It returns
// the events that it has committed. They count from the moment just before COMMIT is sent, so the time that the
// commit itself takes is part of what is shown.
func (s *shop) work(ctx context.Context, place bool) ([]expected, error) {
	if place {
		s.placed++
		s.orders = append(s.orders, &order{id: fmt.Sprint(s.placed)})
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
	for len(s.orders) > 0 && s.orders[0].step == len(steps) { // the oldest is the furthest
		s.orders = s.orders[1:]
	}
	return events, nil
}

// next does the order's next step and returns the event that this has written, with the payload as PostgreSQL prints
// it, which is what must arrive.
func (o *order) next(ctx context.Context, tx pgx.Tx) (expected, error) {
	if err := steps[o.step](ctx, tx, o.id); err != nil {
		return expected{}, err
	}
	o.step++
	e := expected{key: o.id}
	const written = `SELECT id::text, payload::text FROM outbox WHERE aggregateid = $1 AND sequence = $2`
	if err := tx.QueryRow(ctx, written, o.id, o.step).Scan(&e.id, &e.value); err != nil {
		return expected{}, fmt.Errorf("look up the event of order %s: %w", o.id, err)
	}
	return e, nil
}

// totals adds the orders up.
func (s *shop) totals(ctx context.Context) (totals, error) {
	const sum = `SELECT count(*), coalesce(sum(cents), 0)::bigint, coalesce(sum(version), 0)::bigint FROM orders`
	var t totals
	if err := s.conn.QueryRow(ctx, sum).Scan(&t.count, &t.cents, &t.events); err != nil {
		return t, fmt.Errorf("add up the orders: %w", err)
	}
	return t, nil
}

func (s *shop) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return s.conn.Close(ctx)
}
