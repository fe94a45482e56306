package inbox_test

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/inbox"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
)

// The same event comes twice, as it may after a crash; the account is charged once.
func ExampleOnce() {
	ctx := context.Background()
	conn, stop := bank(ctx)
	defer stop()

	for range 2 {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			fresh, err := inbox.Once(ctx, tx, "billing", "0199e1c5-7c1e-7b4f-9d52-6f1a3c9c2b11", func() error {
				_, err := tx.Exec(ctx, `UPDATE accounts SET balance = balance - 1250 WHERE id = 'ann'`)
				return err
			})
			fmt.Println("charged:", fresh)
			return err
		})
		if err != nil {
			panic(err)
		}
	}
	var balance int
	err := conn.QueryRow(ctx, `SELECT balance FROM accounts WHERE id = 'ann'`).Scan(&balance)
	fmt.Println(err, balance)
	// Output:
	// charged: true
	// charged: false
	// <nil> 8750
}

// The second event of the order comes after the third, from a queue of events to be tried again, say. Its state is out
// of date and does not replace the newer one.
func ExampleAdvance() {
	ctx := context.Background()
	conn, stop := bank(ctx)
	defer stop()

	order := inbox.Aggregate{Type: "Order", ID: "42"}
	events := []struct {
		sequence int64
		state    string
	}{{1, "placed"}, {3, "shipped"}, {2, "paid"}}
	for _, e := range events {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			newer, err := inbox.Advance(ctx, tx, "tracking", order, e.sequence)
			if newer && err == nil {
				fmt.Println("show", e.state)
			}
			return err
		})
		if err != nil {
			panic(err)
		}
	}
	// Output:
	// show placed
	// show shipped
}

// bank starts a server with the inbox and an account, for the examples.
func bank(ctx context.Context) (conn *pgx.Conn, stop func()) {
	server, err := pgserver.Start(ctx, pgserver.Config{})
	if err != nil {
		panic(err)
	}
	if conn, err = pgx.Connect(ctx, server.DSN("postgres")); err != nil {
		panic(err)
	}
	const accounts = `CREATE TABLE accounts (id text PRIMARY KEY, balance bigint); INSERT INTO accounts VALUES ('ann', 10000)`
	if _, err := conn.Exec(ctx, schema.DDLInbox+accounts); err != nil {
		panic(err)
	}
	return conn, func() {
		conn.Close(ctx)
		if err := server.Close(); err != nil {
			panic(err)
		}
	}
}
