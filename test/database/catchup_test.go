package database_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

// halfway acknowledges every transaction at once, and waits in the middle of the backlog.
type halfway struct {
	rows   int
	middle func() error // called at the 500th row
	at     pglogrepl.LSN
	done   context.CancelFunc
}

func (h *halfway) Begin(replication.Begin) error { return nil }

func (h *halfway) Relation(*schema.Relation) (bool, error) { return true, nil }

func (h *halfway) Insert(*schema.Relation, []schema.Datum) error {
	h.rows++
	switch h.rows {
	case 500:
		return h.middle()
	case 1000:
		h.done()
	}
	return nil
}

func (h *halfway) Update(*schema.Relation, []schema.Datum, bool, []schema.Datum) error { return nil }

func (h *halfway) Other(*schema.Relation, replication.Op) error { return nil }

func (h *halfway) Message(replication.Message) error { return nil }

func (h *halfway) Commit(c replication.Commit) error {
	h.at = max(h.at, c.EndLSN)
	return nil
}

func (h *halfway) Keepalive(pglogrepl.LSN) error { return nil }

func (h *halfway) Tick() error { return nil }

func (h *halfway) Flush() {}

func (h *halfway) Confirmed() pglogrepl.LSN { return h.at }

// TestCatchUpConfirmsOnTheWay works off a backlog, with no keepalive in between: the position must move long before the
// end, or the WAL stays and a crash repeats everything.
func TestCatchUpConfirmsOnTheWay(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, `CREATE PUBLICATION outbox_relay FOR TABLE outbox`, `SELECT pg_create_logical_replication_slot(current_database(), 'pgoutput')`)
	r.db.Exec(t, `DO $$ BEGIN FOR i IN 1..1000 LOOP INSERT INTO outbox VALUES (i::text, 'all', 'k'); COMMIT; END LOOP; END $$`)
	tables, err := replication.ParseList("public.outbox")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(wait.Context(t, patience))
	defer cancel()
	stream, err := replication.Open(ctx, replication.Config{
		Connect: func() (*pgx.ConnConfig, error) { return pgx.ParseConfig(r.db.DSN) },
		Slot:    r.db.Name, Publication: "outbox_relay", Tables: replication.Filter{IncludeTables: tables},
	}, replication.Position{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	first := stream.Position().Confirmed
	h := &halfway{at: first, done: cancel}
	h.middle = func() error {
		acked := h.at
		room, failed := make(chan struct{}), make(chan error, 1)
		go func() {
			defer close(room)
			failed <- poll.Until(ctx, 20*time.Millisecond, func(ctx context.Context) error {
				var at string
				err := queryAt(ctx, r.db.DSN, `SELECT confirmed_flush_lsn::text FROM pg_replication_slots WHERE slot_name = current_database()`, &at)
				if err == nil && at != acked.String() {
					err = fmt.Errorf("the slot is at %s, and everything to %s is acknowledged", at, acked)
				}
				return err
			})
		}()
		return errors.Join(stream.Wait(ctx, room, h), <-failed)
	}
	if err := stream.Run(ctx, ctx, h); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if h.rows != 1000 || h.at <= first {
		t.Errorf("%d rows came, to %s", h.rows, h.at)
	}
}
