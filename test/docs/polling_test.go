package docs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

const orders = "outbox.event.order"

// polled is the table of a usual polling relay.
const polled = `CREATE TABLE outbox (
	id uuid PRIMARY KEY DEFAULT gen_random_uuid(), aggregatetype text NOT NULL, aggregateid text NOT NULL, type text NOT NULL,
	payload jsonb, created_at timestamptz NOT NULL DEFAULT now(), sent_at timestamptz)`

// TestFromAPollingRelay follows docs/from-a-polling-relay.md while applications write and a poller polls. Every row that
// is committed arrives, and what comes twice is of the time in which both relays had it.
func TestFromAPollingRelay(t *testing.T) {
	g := follow(t, "docs/from-a-polling-relay.md", orders, orders)
	g.db.Exec(t, polled)
	writers, stopWriting := background(t, func(ctx context.Context) error { return write(ctx, g.db.DSN) }, 2)
	poller, stopPolling := background(t, func(ctx context.Context) error { return poll(ctx, g.db.DSN, g.brokers) }, 1)
	g.arrived(t, 30)

	g.next(t) // role, publication, slot
	left := g.blocks[0]
	for strings.TrimSpace(g.next(t)) != "0" { // each run takes its time, so this does not spin
		g.blocks = append([]block{left}, g.blocks...)
	}
	before, _ := g.consumer.Count()
	g.arrived(t, before+20) // for the slot to have rows that the poller sends, too
	stopPolling()
	if err := poller(); err != nil {
		t.Fatalf("poller: %v", err)
	}
	g.next(t) // relay
	_, ids := g.consumer.Count()
	g.arrived(t, ids+30)
	g.next(t) // no marks any more
	_, ids = g.consumer.Count()
	g.arrived(t, ids+10)
	stopWriting()
	if err := writers(); err != nil {
		t.Fatalf("writers: %v", err)
	}

	var rows int
	if err := g.db.Connect(t).QueryRow(wait.Context(t, stepTime), `SELECT count(*) FROM outbox`).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	g.arrived(t, rows)
	g.stop(t)
	if records, ids := g.consumer.Count(); ids != rows || records == ids {
		t.Errorf("%d records of %d ids for %d rows; some must have come twice, and none be lost", records, ids, rows)
	}
	g.db.Exec(t, `SELECT pg_drop_replication_slot('outbox_relay')`)
}

// background runs a function n times at once until it is told to stop. wait returns the first error.
func background(t *testing.T, run func(context.Context) error, n int) (wait func() error, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var group errgroup.Group
	for range n {
		group.Go(func() error {
			if err := run(ctx); err != nil && ctx.Err() == nil {
				return err
			}
			return nil
		})
	}
	t.Cleanup(func() { cancel(); _ = group.Wait() }) // told by wait
	return group.Wait, cancel
}

// write commits one row after the other.
func write(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	pause := time.NewTicker(5 * time.Millisecond)
	defer pause.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return nil
		case <-pause.C:
		}
		if _, err := conn.Exec(ctx, `INSERT INTO outbox (aggregatetype, aggregateid, type) VALUES ('order', $1, 'OrderPlaced')`, fmt.Sprint(i%7)); err != nil {
			return err
		}
	}
}

// poll sends what is not marked, and marks it.
func poll(ctx context.Context, dsn, brokers string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers))
	if err != nil {
		return err
	}
	defer client.Close()
	pause := time.NewTicker(20 * time.Millisecond)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-pause.C:
		}
		// A pass that has begun is ended: it must not die between sending and marking.
		if err := pass(context.WithoutCancel(ctx), conn, client); err != nil {
			return err
		}
	}
}

func pass(ctx context.Context, conn *pgx.Conn, client *kgo.Client) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		found, err := tx.Query(ctx, `UPDATE outbox SET sent_at = now() WHERE id IN (
			SELECT id FROM outbox WHERE sent_at IS NULL ORDER BY created_at LIMIT 100 FOR UPDATE SKIP LOCKED) RETURNING id::text, aggregateid`)
		if err != nil {
			return err
		}
		var records []*kgo.Record
		var id, key string
		_, err = pgx.ForEachRow(found, []any{&id, &key}, func() error {
			records = append(records, &kgo.Record{Topic: orders, Key: []byte(key), Headers: []kgo.RecordHeader{{Key: "id", Value: []byte(id)}}})
			return nil
		})
		return errors.Join(err, client.ProduceSync(ctx, records...).FirstErr())
	})
}
