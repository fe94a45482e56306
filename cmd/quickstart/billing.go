package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	_ "github.com/jackc/pgx/v5/stdlib" // database/sql's driver "pgx"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/examples/orders/billing"
)

// biller runs the billing of examples/orders in a goroutine of its own.
type biller struct {
	db     *sql.DB
	cancel context.CancelFunc
	billed atomic.Int64  // events, each once
	news   chan struct{} // holds one token after billed has risen
	done   chan struct{} // closed at the end of the goroutine
	err    error         // why it ended; read it after done
}

// openBilling creates billing's tables and starts it. The topic need not exist yet.
func openBilling(ctx context.Context, dsn string, brokers []string) (*biller, error) {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return nil, fmt.Errorf("open billing's database: %w", err)
	}
	b := &biller{db: db, news: make(chan struct{}, 1), done: make(chan struct{})}
	if err := billing.CreateTables(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	client, err := billing.NewClient(brokers, kgo.UnknownTopicRetries(-1), kgo.MetadataMinAge(metadataAge), kgo.MetadataMaxAge(metadataAge))
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(b.done)
		defer client.Close()
		b.err = billing.Consume(ctx, client, db, b.note)
	}()
	return b, nil
}

func (b *biller) note(_ billing.Event, fresh bool) {
	if !fresh {
		return
	}
	b.billed.Add(1)
	select {
	case b.news <- struct{}{}:
	default:
	}
}

// totals are what the orders, or the invoices, add up to.
type totals struct{ count, cents, events int64 }

// billedAs waits until so many events are billed, and compares the invoices with the orders.
func (b *biller) billedAs(ctx context.Context, events int, orders totals) error {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	for b.billed.Load() < int64(events) {
		select {
		case <-b.news:
		case <-b.done:
			return b.err
		case <-ctx.Done():
			return fmt.Errorf("%d of %d events are billed: %w", b.billed.Load(), events, ctx.Err())
		}
	}
	const sum = `SELECT count(*), coalesce(sum(cents), 0)::bigint, coalesce(sum(events), 0)::bigint FROM invoices`
	var invoices totals
	if err := b.db.QueryRowContext(ctx, sum).Scan(&invoices.count, &invoices.cents, &invoices.events); err != nil {
		return fmt.Errorf("add up the invoices: %w", err)
	}
	if invoices != orders {
		return fmt.Errorf("billing has %+v, but the orders are %+v", invoices, orders)
	}
	return nil
}

// stop ends billing and returns the error if it had ended by itself.
func (b *biller) stop() error {
	b.cancel()
	<-b.done
	return errors.Join(b.err, b.db.Close())
}
