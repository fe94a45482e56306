package e2e_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/load"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// TestMissingSlotIsNotMadeAgain drops the slot that a relay has used. What was committed since then would be skipped
// without a trace, so the relay must not make a new one until it is told to.
func TestMissingSlotIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	conn := r.db.Connect(t)

	t.Run("dropped while the relay is stopped", func(t *testing.T) {
		r.stream(t).stop(t)
		run(t, conn, `SELECT pg_drop_replication_slot($1)`, r.slot)
		r.launch(t).mustEnd(t, exitHuman, r.slot, "does not exist", "-slot.create")
		if n := scalar[int](t, conn, `SELECT count(*) FROM pg_replication_slots WHERE slot_name = $1`, r.slot); n != 0 {
			t.Fatal("the relay has made the slot again")
		}
	})
	t.Run("made anew when told to", func(t *testing.T) {
		p := r.stream(t, "-slot.create")
		p.await(t, 0, "replication slot created; rows committed before it are not relayed")
		p.stop(t)
	})
	t.Run("dropped under a running relay", func(t *testing.T) {
		p := r.stream(t)
		r.dropUnderRelay(t, conn)
		p.mustEnd(t, exitHuman, r.slot, "does not exist")
	})
	t.Run("dropped under a running relay that may make slots", func(t *testing.T) {
		p := r.stream(t, "-slot.create")
		r.dropUnderRelay(t, conn)
		p.mustEnd(t, exitHuman, r.slot, "does not exist")
	})
}

// dropUnderRelay ends the relay's walsender and drops the slot before the relay is back.
func (r *rig) dropUnderRelay(t testing.TB, conn *pgx.Conn) {
	t.Helper()
	eventually(t, startTimeout, func(ctx context.Context) error {
		_, err := conn.Exec(ctx, `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = $1`, r.slot)
		if err == nil {
			_, err = conn.Exec(ctx, `SELECT pg_drop_replication_slot($1)`, r.slot)
		}
		return err
	})
}

// TestLostSlotExitsWith3 lets the server remove WAL that the slot needs.
func TestLostSlotExitsWith3(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{Settings: map[string]string{"max_slot_wal_keep_size": "1MB"}})
	words := []string{"lost", "-slot.create", "max_slot_wal_keep_size"}

	t.Run("while the relay is stopped", func(t *testing.T) {
		r := newRig(t, setup{server: server, bootstrap: deadBroker(t)})
		r.stream(t).stop(t)
		r.loseSlot(t)
		r.launch(t).mustEnd(t, exitHuman, words...)
	})
	t.Run("while Kafka is away", func(t *testing.T) {
		r := newRig(t, setup{server: server, bootstrap: deadBroker(t)})
		p := r.stream(t)
		r.insert(t, "a")
		p.awaitStatus(t, "one unacknowledged event", func(s status) bool { return s.Unacked.Events == 1 })
		r.loseSlot(t)
		p.mustEnd(t, exitHuman, words...)
	})
}

// loseSlot writes WAL until the server has given up the slot.
func (r *rig) loseSlot(t testing.TB) {
	t.Helper()
	conn := r.db.Connect(t)
	run(t, conn, `CREATE TABLE filler (n int)`)
	eventually(t, startTimeout, func(ctx context.Context) error {
		for _, sql := range []string{`INSERT INTO filler VALUES (1)`, `SELECT pg_switch_wal()`, `CHECKPOINT`} {
			if _, err := conn.Exec(ctx, sql); err != nil {
				return err
			}
		}
		s, err := r.slotState(ctx, conn)
		if err == nil && s.walStatus != "lost" {
			err = errors.New("the slot is still " + s.walStatus)
		}
		return err
	})
}

// TestEventThatKafkaCanNeverTakeStopsTheRelay commits one event that can be relayed, and one that cannot be. The first
// arrives once, however often the relay is started again.
func TestEventThatKafkaCanNeverTakeStopsTheRelay(t *testing.T) {
	t.Parallel()
	const reasonable = `CREATE TABLE outbox (id uuid, aggregatetype text, aggregateid text, type text, payload text)`
	tests := []struct {
		name          string
		aggregateType string // NULL if empty
		payload       string
		words         []string
	}{
		{"topic with a blank", "Order Item", "x", []string{"outbox.event.Order Item", "INVALID_TOPIC"}},
		{"topic in Cyrillic", "ордер", "x", []string{"outbox.event.ордер", "INVALID_TOPIC"}},
		{"topic with a slash", "a/b", "x", []string{"outbox.event.a/b", "INVALID_TOPIC"}},
		{"topic too long", strings.Repeat("x", 240), "x", []string{"xxx", "INVALID_TOPIC"}},
		{"no topic", "", "x", []string{"aggregatetype"}},
		{"topic that does not exist", "not-there-" + newID(), "x", []string{"outbox.event.not-there-", "topic.creation.enable"}},
		{"larger than max.request.size", "big-" + newID(), strings.Repeat("x", 2<<20), []string{"outbox.event.big-", "RECORD_TOO_LARGE", "max.request.size"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, setup{table: reasonable})
			consumer := r.consume(t)
			p := r.stream(t)
			good, bad := r.insert(t, "good"), newID()
			r.db.Exec(t, `INSERT INTO outbox VALUES ($1, nullif($2, ''), 'k', 'Changed', $3)`, bad, test.aggregateType, test.payload)
			lsn := scalar[string](t, r.db.Connect(t), `SELECT split_part(pg_current_wal_lsn()::text, '/', 1) || '/'`)
			words := append(test.words, lsn)
			if test.aggregateType != "" {
				words = append(words, bad)
			}
			p.mustEnd(t, exitHuman, words...)
			r.launch(t).mustEnd(t, exitHuman, words...)
			once(t, r.verdict(t, consumer, []judge.Committed{good}))
		})
	}
}

// TestTopicsAreMadeWhereAllowed is the other way out.
func TestTopicsAreMadeWhereAllowed(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	r.types[0] += ".new"
	topic := load.Topic(r.types[0])
	t.Cleanup(func() {
		if err := r.cluster.DeleteTopic(context.Background(), topic); err != nil {
			t.Error(err)
		}
	})
	consumer := r.consume(t)
	p := r.stream(t, "-topic.creation.enable", "-topic.creation.default.partitions", "3", "-topic.creation.default.replication.factor", "1")
	rows := r.insertEach(t, "a", "b", "a")
	arrived(t, consumer, rows)
	p.stop(t)
	once(t, r.verdict(t, consumer, rows))
}

// TestUpdateIsFatalWhereDemanded needs a publication made by hand: the relay's own carries only inserts.
func TestUpdateIsFatalWhereDemanded(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	r.db.Exec(t, `CREATE PUBLICATION outbox_relay FOR TABLE outbox`)
	p := r.stream(t, "-slot.create", "-table.op.invalid.behavior", "fatal")
	consumer := r.consume(t)
	rows := r.insertEach(t, "a")
	arrived(t, consumer, rows)
	r.db.Exec(t, `UPDATE outbox SET type = 'Other'`)
	p.mustEnd(t, exitHuman, "update", "public.outbox", "table.op.invalid.behavior")
}
