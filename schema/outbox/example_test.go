package outbox_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/outbox"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
)

type orderPaid struct {
	Cents int `json:"cents"`
}

// The order changes and its event is written in one transaction: the relay sends the event if, and only if, the change
// is committed.
func ExampleWrite() {
	ctx := context.Background()
	dsn, stop := shop(ctx)
	defer stop()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		panic(err)
	}
	defer conn.Close(ctx)

	pay := func(order string, cents int) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `UPDATE orders SET state = 'paid' WHERE id = $1`, order); err != nil {
				return err
			}
			return outbox.Write(ctx, tx, outbox.Event{
				AggregateType: "Order", AggregateID: order, Type: "OrderPaid", Payload: orderPaid{cents},
			})
		})
	}
	fmt.Println("with a key:", pay("42", 1250))
	fmt.Println("without one is invalid:", errors.Is(pay("", 1250), outbox.ErrInvalid))

	var topic, key, payload string
	row := conn.QueryRow(ctx, `SELECT 'outbox.event.' || aggregatetype, aggregateid, payload::text FROM outbox`)
	fmt.Println(row.Scan(&topic, &key, &payload), topic, key, payload)
	// Output:
	// with a key: <nil>
	// without one is invalid: true
	// <nil> outbox.event.Order 42 {"cents": 1250}
}

// With database/sql only the name of the function differs.
func ExampleWriteSQL() {
	ctx := context.Background()
	dsn, stop := shop(ctx)
	defer stop()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		panic(err)
	}
	defer db.Close()

	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		panic(err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE orders SET state = 'paid' WHERE id = '42'`); err != nil {
		panic(err)
	}
	err = outbox.WriteSQL(ctx, tx, outbox.Event{
		AggregateType: "Order", AggregateID: "42", Type: "OrderPaid", Payload: orderPaid{1250},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(tx.Commit())
	// Output: <nil>
}

// A table of another shape, which numbers the events of each order and carries the tenant as a header. The relay gets
// the same names:
//
//	outbox-relay -table.include.list shop.events -table.field.event.id event_id -table.field.event.key order_id \
//	    -route.by.field topic -route.topic.replacement '${routedByValue}' -table.fields.additional.placement tenant:header,number:header
func ExampleTable() {
	events := outbox.Table{
		Schema:   "shop",
		Name:     "events",
		Columns:  schema.Columns{ID: "event_id", Key: "order_id", RouteBy: "topic", Payload: "body"},
		Topic:    func(topic string) string { return topic },
		Sequence: "number", Counters: "event_numbers",
		Extra: []string{"tenant"},
	}
	err := events.Write(context.Background(), nil, outbox.Event{
		AggregateType: "orders v2", AggregateID: "42", Payload: orderPaid{1250}, Extra: []any{"north"},
	})
	fmt.Println(err)
	// Output:
	// write to table events: invalid event: the event of aggregate "orders v2" "42": its aggregate type makes the topic "orders v2"; Kafka takes 1 to 249 letters and digits of ASCII, dots, underscores and hyphens
}

// shop starts a server with an outbox and a table of orders, for the examples.
func shop(ctx context.Context) (dsn string, stop func()) {
	server, err := pgserver.Start(ctx, pgserver.Config{})
	if err != nil {
		panic(err)
	}
	dsn = server.DSN("postgres")
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		panic(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, schema.DDL+`CREATE TABLE orders (id text PRIMARY KEY, state text)`); err != nil {
		panic(err)
	}
	return dsn, func() {
		if err := server.Close(); err != nil {
			panic(err)
		}
	}
}
