package pattern_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/examples/orders/service"
	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/outbox"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// table is an outbox table of some shape, with the relay behind it and a broker inside the test.
type table struct {
	db      *pgtest.DB
	conn    *pgx.Conn
	brokers string
	seen    *judge.Consumer
	rows    []judge.Committed
}

func newTable(t *testing.T, ddl string) *table {
	t.Helper()
	tb := &table{db: pgtest.NewDB(t)}
	tb.conn = tb.db.Connect(t)
	tb.db.Exec(t, ddl)
	tb.brokers, _ = kfaketest.New(t, partitions, []string{service.Topic})
	tb.seen = newJudge(t, []string{tb.brokers})
	return tb
}

// expect returns an event, which will have to arrive.
func (tb *table) expect() outbox.Event {
	n := len(tb.rows)
	e := outbox.Event{
		ID: outbox.NewID(), AggregateType: service.AggregateType, AggregateID: fmt.Sprint(n % 3), Type: "Changed",
		Payload: fmt.Appendf(nil, `{"n": %d}`, n),
	}
	tb.rows = append(tb.rows, judge.Committed{
		ID: e.ID, Key: e.AggregateID, Seq: int64(n), Hash: judge.Hash(e.Payload.([]byte)), Topic: service.Topic,
	})
	return e
}

// insert writes an event by SQL into the outbox or one of its partitions. when is the SQL of its created_at.
func (tb *table) insert(t testing.TB, into, when string) {
	t.Helper()
	e := tb.expect()
	tb.db.Exec(t, `INSERT INTO `+into+` (id, aggregatetype, aggregateid, type, payload, created_at) VALUES ($1, $2, $3, $4, $5, `+when+`)`,
		e.ID, e.AggregateType, e.AggregateID, e.Type, string(e.Payload.([]byte)))
}

// arrive waits until all expected events have arrived, and demands that they came once, unchanged and in order.
func (tb *table) arrive(t testing.TB) {
	t.Helper()
	must(t, "wait for the events", tb.seen.WaitFor(wait.Context(t, patience), tb.rows))
	if err := judge.Judge(tb.rows, nil, tb.seen.Records()).ExactlyOnce(); err != nil {
		t.Error(err)
	}
}

// TestPartitionedTable lets the days of a partitioned outbox come and go while the relay runs. It has to make the
// publication itself, so that the partitions' rows come under the table's name.
func TestPartitionedTable(t *testing.T) {
	tb := newTable(t, schema.DDLPartitioned)
	r := startRelay(t, tb.db.DSN, tb.brokers)
	today, err := one[string](wait.Context(t, patience), tb.conn, `SELECT 'outbox_' || to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD')`)
	must(t, "ask for the day", err)

	tb.insert(t, "outbox", "now()")
	tb.insert(t, "outbox", "now() + interval '1 day'")
	tb.insert(t, "outbox", "'2001-01-01'") // goes to the default partition
	tb.insert(t, today, "now()")
	err = pgx.BeginFunc(wait.Context(t, patience), tb.conn, func(tx pgx.Tx) error {
		return outbox.Write(wait.Context(t, patience), tx, tb.expect(), tb.expect(), tb.expect())
	})
	must(t, "write events", err)
	tb.arrive(t)

	tb.db.Exec(t, `CREATE TABLE outbox_later PARTITION OF outbox FOR VALUES FROM ('2101-01-01 00:00:00+00') TO ('2101-01-02 00:00:00+00')`)
	tb.insert(t, "outbox", "'2101-01-01 12:00:00+00'")
	tb.db.Exec(t, `DROP TABLE `+today)
	tb.insert(t, "outbox", "now()") // has no partition of its own any more
	tb.db.Exec(t, `ALTER TABLE outbox DETACH PARTITION outbox_later; INSERT INTO outbox_later SELECT * FROM outbox`)
	tb.insert(t, "outbox", "now() + interval '2 days'")
	tb.arrive(t)

	r.kill(t)
	tb.db.Exec(t, `DROP TABLE outbox_later`)
	tb.insert(t, "outbox", "now()")
	r = startRelay(t, tb.db.DSN, tb.brokers)
	must(t, "wait for the last event", tb.seen.WaitFor(wait.Context(t, patience), tb.rows))
	if err := judge.Judge(tb.rows, nil, tb.seen.Records()).AtLeastOnce(); err != nil {
		t.Error(err)
	}
	r.stop(t)
}

// TestDeletedInTheSameTransaction writes events that no query ever sees.
func TestDeletedInTheSameTransaction(t *testing.T) {
	for _, shape := range []string{"plain", "partitioned"} {
		t.Run(shape, func(t *testing.T) {
			ddl, _ := schema.DDLNamed(shape)
			tb := newTable(t, ddl)
			r := startRelay(t, tb.db.DSN, tb.brokers)
			for _, n := range []int{1, 5, 600} {
				events := make([]outbox.Event, n)
				for i := range events {
					events[i] = tb.expect()
				}
				err := pgx.BeginFunc(wait.Context(t, patience), tb.conn, func(tx pgx.Tx) error {
					return outbox.Table{DeleteAtOnce: true}.Write(wait.Context(t, patience), tx, events...)
				})
				must(t, "write events", err)
			}
			if left := count(t, tb.db); left != 0 {
				t.Errorf("%d rows are left in the outbox", left)
			}
			tb.arrive(t)
			r.stop(t)
		})
	}
}

// TestRolledBackIsNotSent is about all of a transaction, and about a part of it.
func TestRolledBackIsNotSent(t *testing.T) {
	tb := newTable(t, schema.DDL)
	r := startRelay(t, tb.db.DSN, tb.brokers)
	unwanted := outbox.Event{AggregateType: service.AggregateType, AggregateID: "0", Payload: "must not arrive"}
	err := pgx.BeginFunc(wait.Context(t, patience), tb.conn, func(tx pgx.Tx) error {
		must(t, "write an event", outbox.Write(wait.Context(t, patience), tx, unwanted))
		return errRollback
	})
	if err != errRollback {
		t.Fatal(err)
	}
	err = pgx.BeginFunc(wait.Context(t, patience), tb.conn, func(tx pgx.Tx) error {
		must(t, "write an event", outbox.Write(wait.Context(t, patience), tx, tb.expect()))
		part := pgx.BeginFunc(wait.Context(t, patience), tx, func(tx pgx.Tx) error {
			must(t, "write an event", outbox.Write(wait.Context(t, patience), tx, unwanted))
			return errRollback
		})
		if part != errRollback {
			return fmt.Errorf("roll back to a savepoint: %w", part)
		}
		return outbox.Write(wait.Context(t, patience), tx, tb.expect())
	})
	must(t, "write events", err)
	tb.arrive(t)
	r.stop(t)
}
