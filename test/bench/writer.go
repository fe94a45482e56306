package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/observe"
)

const (
	perConnection = 1250             // rows per second that one connection of the writer has to manage
	insertTimeout = 30 * time.Second // above any wait for the disk
	insertName    = "insert"
	insertSQL     = `INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload)
		VALUES (gen_random_uuid(), 'type-00', $1, 'Changed', $2)`
)

// writer commits numbered rows, one in each transaction. The number is the row's key, from which the consumer knows it.
type writer struct {
	dsn     string
	ledger  *observe.Ledger
	payload string
	next    atomic.Int64
}

func newWriter(dsn string, ledger *observe.Ledger) *writer {
	return &writer{dsn: dsn, ledger: ledger, payload: `{"pad": "` + strings.Repeat("x", 289) + `"}`}
}

// run commits rate rows per second until ctx ends, which is no error, or until limit rows were written by this writer.
func (w *writer) run(ctx context.Context, rate, limit int) error {
	connections := 1 + (rate-1)/perConnection
	step := time.Duration(connections) * time.Second / time.Duration(rate)
	group, ctx := errgroup.WithContext(ctx)
	for i := range connections {
		group.Go(func() error { return w.connection(ctx, time.Duration(i)*step/time.Duration(connections), step, limit) })
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	return nil
}

// connection commits a row every step, the first after delay. Rows that are late are written as soon as possible.
func (w *writer) connection(ctx context.Context, delay, step time.Duration, limit int) error {
	conn, err := w.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	due := time.Now().Add(delay)
	timer := time.NewTimer(delay)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil
		}
		n := int(w.next.Add(1)) - 1
		if n >= limit || w.ledger.Full(n) {
			return nil
		}
		if err := w.commit(ctx, conn, n); err != nil {
			return err
		}
		due = due.Add(step)
		timer.Reset(time.Until(due))
	}
}

func (w *writer) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, w.dsn)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Prepare(ctx, insertName, insertSQL); err != nil {
		conn.Close(ctx) //nolint:errcheck // the other error says why
		return nil, err
	}
	return conn, nil
}

// one commits a single row.
func (w *writer) one(ctx context.Context) error {
	conn, err := w.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return w.commit(ctx, conn, int(w.next.Add(1))-1)
}

// commit inserts row n and commits it. A transaction that was begun is finished.
func (w *writer) commit(ctx context.Context, conn *pgx.Conn, n int) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), insertTimeout)
	defer cancel()
	var batch pgx.Batch
	batch.Queue("BEGIN")
	batch.Queue(insertName, strconv.Itoa(n), w.payload)
	if err := conn.SendBatch(ctx, &batch).Close(); err != nil {
		return fmt.Errorf("insert: %w", err)
	}
	w.ledger.Sent(n)
	if _, err := conn.Exec(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
