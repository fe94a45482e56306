package pattern_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/outbox-relay/outbox-relay/examples/orders/service"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// errRollback ends a transaction that must leave nothing behind.
var errRollback = errors.New("roll back")

// within runs a transaction of the service, on a connection of its own.
func within(t testing.TB, db *pgtest.DB, do func(ctx context.Context, tx pgx.Tx) error) {
	t.Helper()
	ctx, conn := wait.Context(t, patience), db.Connect(t)
	must(t, "change an order", pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return do(ctx, tx) }))
}

// place places orders, all in one transaction.
func place(t testing.TB, db *pgtest.DB, ids ...string) {
	t.Helper()
	within(t, db, func(ctx context.Context, tx pgx.Tx) error {
		var errs []error
		for _, id := range ids {
			errs = append(errs, service.Place(ctx, tx, id, 1000))
		}
		return errors.Join(errs...)
	})
}

const (
	writers      = 3
	transactions = 25 // of each writer
)

// trade places ten orders whose ids begin with prefix, lets several writers at once change them in transactions of one
// to three changes, of which some roll back, and ships them. It returns how many events that has committed.
func trade(t testing.TB, db *pgtest.DB, prefix string) int {
	t.Helper()
	before := count(t, db)
	ids := make([]string, 10)
	for i := range ids {
		ids[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	place(t, db, ids...)
	var g errgroup.Group
	for range writers {
		conn, ctx := db.Connect(t), wait.Context(t, patience)
		g.Go(func() error { return write(ctx, conn, ids) })
	}
	must(t, "write", g.Wait())
	for _, id := range ids {
		within(t, db, func(ctx context.Context, tx pgx.Tx) error { return service.Ship(ctx, tx, id) })
	}
	return count(t, db) - before
}

func write(ctx context.Context, conn *pgx.Conn, ids []string) error {
	for range transactions {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			chosen := rand.Perm(len(ids))[:1+rand.IntN(3)]
			slices.Sort(chosen) // two writers that lock orders the other way round would block each other
			for _, i := range chosen {
				if err := service.Add(ctx, tx, ids[i], rand.Int64N(500)); err != nil {
					return err
				}
			}
			if rand.IntN(5) == 0 {
				return errRollback
			}
			return nil
		})
		if err != nil && !errors.Is(err, errRollback) {
			return err
		}
	}
	return nil
}

// count is the number of events in the outbox.
func count(t testing.TB, db *pgtest.DB) int {
	t.Helper()
	n, err := one[int](wait.Context(t, patience), db.Connect(t), `SELECT count(*) FROM outbox`)
	must(t, "count the events", err)
	return n
}
