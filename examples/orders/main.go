// Command orders is an order service and a consumer that bills the orders, in one process for once: the service writes
// events into the outbox, outbox-relay (which must run beside it) brings them to Kafka, billing reads them there. See
// README.md for how to start it all, or run make quickstart, which does.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // database/sql's driver "pgx"
	"golang.org/x/sync/errgroup"

	"github.com/outbox-relay/outbox-relay/examples/orders/billing"
	"github.com/outbox-relay/outbox-relay/examples/orders/service"
)

func main() {
	url := flag.String("database.url", "", "connection string; empty leaves it to libpq's PG* variables")
	brokers := flag.String("bootstrap.servers", "localhost:9092", "brokers, separated by commas")
	create := flag.Bool("create", false, "create the tables and exit")
	every := flag.Duration("every", time.Second, "pause between two orders")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := func() error { return trade(ctx, *url, strings.Split(*brokers, ","), *every) }
	if *create {
		run = func() error { return createTables(ctx, *url) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "orders:", err)
		os.Exit(1)
	}
}

// createTables creates those of both sides in one database, which is enough for an example.
func createTables(ctx context.Context, url string) error {
	conn, db, err := connect(ctx, url)
	if err != nil {
		return err
	}
	if err = service.CreateTables(ctx, conn); err == nil {
		err = billing.CreateTables(ctx, db)
	}
	return errors.Join(err, conn.Close(ctx), db.Close())
}

// connect opens a connection for each side: pgx for the service, database/sql for billing.
func connect(ctx context.Context, url string) (*pgx.Conn, *sql.DB, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, nil, err // which says for what
	}
	db, err := sql.Open("pgx", url)
	return conn, db, err
}

// trade runs service and billing until ctx ends.
func trade(ctx context.Context, url string, brokers []string, every time.Duration) error {
	conn, db, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	defer db.Close()
	client, err := billing.NewClient(brokers)
	if err != nil {
		return err
	}
	defer client.Close()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return sell(ctx, conn, every) })
	g.Go(func() error {
		return billing.Consume(ctx, client, db, func(e billing.Event, fresh bool) {
			fmt.Printf("billed   order %s: event %d, %s, %d cents, new: %t\n", e.Order, e.Sequence, e.State, e.Cents, fresh)
		})
	})
	return g.Wait()
}

// sell takes an order through its life, once every so often.
func sell(ctx context.Context, conn *pgx.Conn, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		id := time.Now().Format("20060102-150405.000")
		// A transaction that has begun is finished, so that nobody has to ask whether it was.
		if err := sellOne(context.WithoutCancel(ctx), conn, id); err != nil {
			return err
		}
		fmt.Printf("sold     order %s\n", id)
	}
}

// sellOne changes the order in two transactions. Each change and its event share one.
func sellOne(ctx context.Context, conn *pgx.Conn, id string) error {
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if err := service.Place(ctx, tx, id, 1250); err != nil {
			return err
		}
		return service.Add(ctx, tx, id, 300)
	})
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return service.Ship(ctx, tx, id) })
}
