package outbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/internal/dbtest"
	"github.com/outbox-relay/outbox-relay/schema/outbox"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

const uuid7 = `[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`

func TestWriteToTheReferenceTable(t *testing.T) {
	t.Parallel()
	forEachReference(t, func(t *testing.T, db *pgtest.DB, write writeFunc) {
		err := write(dbtest.Bounded(t), outbox.Table{}, commit,
			outbox.Event{ID: "59a42efd-b015-44a9-9dde-cb36d9002425", AggregateType: "Order", AggregateID: "1", Type: "a", Payload: []byte(`{"n":1.50}`)},
			outbox.Event{ID: "59a42efd-b015-44a9-9dde-cb36d9002426", AggregateType: "Order", AggregateID: "'ü'", Payload: struct{ N int }{2}},
			outbox.Event{ID: "59a42efd-b015-44a9-9dde-cb36d9002427", AggregateType: "Order.v2", AggregateID: "3", Payload: nil},
			outbox.Event{ID: "59a42efd-b015-44a9-9dde-cb36d9002428", AggregateType: "Order", AggregateID: "4", Payload: "text"},
			outbox.Event{ID: "59a42efd-b015-44a9-9dde-cb36d9002429", AggregateType: "Order", AggregateID: "5", Payload: json.RawMessage(`null`)},
		)
		if err != nil {
			t.Fatal(err)
		}
		got := dbtest.Lines(t, db, `SELECT concat_ws('|', right(id::text, 1), aggregatetype, aggregateid, type, coalesce(payload::text, 'NULL')) FROM outbox ORDER BY id`)
		want := []string{`5|Order|1|a|{"n": 1.50}`, `6|Order|'ü'||{"N": 2}`, `7|Order.v2|3||NULL`, `8|Order|4||"text"`, `9|Order|5||null`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestWriteManyKeepsTheirOrder writes more rows than a statement takes. The order of the rows in the table is that in
// the write-ahead log.
func TestWriteManyKeepsTheirOrder(t *testing.T) {
	t.Parallel()
	forEachWriter(t, schema.DDL, func(t *testing.T, db *pgtest.DB, write writeFunc) {
		var events []outbox.Event
		var want []string
		for i := range 1201 {
			e := good()
			e.AggregateID = fmt.Sprint(i)
			events, want = append(events, e), append(want, e.AggregateID)
		}
		if err := write(dbtest.Bounded(t), outbox.Table{}, commit, events...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, dbtest.Lines(t, db, `SELECT aggregateid FROM outbox ORDER BY ctid`)); diff != "" {
			t.Error(diff)
		}
		for _, id := range dbtest.Lines(t, db, `SELECT DISTINCT id::text FROM outbox`) {
			if !regexp.MustCompile("^" + uuid7 + "$").MatchString(id) {
				t.Fatalf("the id %s is no UUID of version 7", id)
			}
		}
	})
}

func TestRollbackWritesNothing(t *testing.T) {
	t.Parallel()
	forEachWriter(t, schema.DDL, func(t *testing.T, db *pgtest.DB, write writeFunc) {
		errChanged := errors.New("changed my mind")
		if err := write(dbtest.Bounded(t), outbox.Table{}, func() error { return errChanged }, good(), good()); !errors.Is(err, errChanged) {
			t.Fatal(err)
		}
		if got := dbtest.Lines(t, db, `SELECT id::text FROM outbox`); len(got) > 0 {
			t.Errorf("rows after a rollback: %v", got)
		}
	})
}

// TestOtherTables writes to tables with names and types of their own.
func TestOtherTables(t *testing.T) {
	t.Parallel()
	const ddl = `CREATE SCHEMA "my shop";
		CREATE TABLE "my shop"."Out ""box""" (event bigint PRIMARY KEY, kind text, "Key" text, body bytea, v bigint, tenant int, "trace parent" text);
		CREATE TABLE letters (id text PRIMARY KEY, aggregatetype text, aggregateid text, type text, payload text)`
	shop := outbox.Table{
		Schema: "my shop", Name: `Out "box"`, Payload: outbox.Bytes, Sequence: "v", Extra: []string{"tenant", "trace parent"},
		Columns: schema.Columns{ID: "event", RouteBy: "kind", Key: "Key", Payload: "body"},
	}
	letters := outbox.Table{Name: "letters", Payload: outbox.Text}
	forEachWriter(t, ddl, func(t *testing.T, db *pgtest.DB, write writeFunc) {
		one := outbox.Event{ID: "1", AggregateType: "Order", AggregateID: "a", Type: "has no column", Payload: []byte{0, 0xff}, Sequence: 7, Extra: []any{5, "00-1"}}
		two := outbox.Event{ID: "2", AggregateType: "Order", AggregateID: "a", Payload: "text", Sequence: 9, Extra: []any{nil, nil}}
		if err := write(dbtest.Bounded(t), shop, commit, one, two); err != nil {
			t.Fatal(err)
		}
		got := dbtest.Lines(t, db, `SELECT concat_ws('|', event, kind, "Key", body, v, tenant, "trace parent") FROM "my shop"."Out ""box""" ORDER BY event`)
		if diff := cmp.Diff([]string{`1|Order|a|\x00ff|7|5|00-1`, `2|Order|a|\x74657874|9`}, got); diff != "" {
			t.Error(diff)
		}
		if err := write(dbtest.Bounded(t), letters, commit, outbox.Event{AggregateType: "Letter", AggregateID: "b", Payload: []byte(`{ "kept" : 1 }`)}); err != nil {
			t.Fatal(err)
		}
		if got := dbtest.Lines(t, db, `SELECT payload FROM letters`); !cmp.Equal(got, []string{`{ "kept" : 1 }`}) {
			t.Errorf("letters: %q", got)
		}
	})
}

func TestDeleteAtOnce(t *testing.T) {
	t.Parallel()
	forEachReference(t, func(t *testing.T, db *pgtest.DB, write writeFunc) {
		events := make([]outbox.Event, 501)
		for i := range events {
			events[i] = good()
		}
		if err := write(dbtest.Bounded(t), outbox.Table{}, commit, good()); err != nil {
			t.Fatal(err)
		}
		if err := write(dbtest.Bounded(t), outbox.Table{DeleteAtOnce: true}, commit, events...); err != nil {
			t.Fatal(err)
		}
		if got := dbtest.Lines(t, db, `SELECT count(*)::text FROM outbox`); got[0] != "1" {
			t.Errorf("rows left: %s, want the one that was not to be deleted", got)
		}
	})
}

// TestDatabaseErrors are not taken for those of the event, and hide the payload. A table that has a name of its own,
// though the same, is not taken for the reference table.
func TestDatabaseErrors(t *testing.T) {
	t.Parallel()
	const rule = `ALTER TABLE outbox ADD CONSTRAINT open CHECK (payload->'secret' IS NULL)`
	forEachWriter(t, schema.DDL+rule, func(t *testing.T, db *pgtest.DB, write writeFunc) {
		twice := bad(func(e *outbox.Event) { e.ID = outbox.NewID() })
		long := bad(func(e *outbox.Event) { e.AggregateID = strings.Repeat("a", 256) })
		noID := bad(func(e *outbox.Event) { e.ID = "seventeen" })
		against := bad(func(e *outbox.Event) { e.Payload = []byte(`{"secret": 1}`) })
		for _, events := range [][]outbox.Event{{twice, twice}, {long}, {good(), long, good()}, {noID}, {against}} {
			err := write(dbtest.Bounded(t), outbox.Table{Name: "outbox"}, commit, events...)
			if err == nil || errors.Is(err, outbox.ErrInvalid) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%d events: %v", len(events), err)
			}
		}
		if got := dbtest.Lines(t, db, `SELECT id::text FROM outbox`); len(got) > 0 {
			t.Errorf("rows: %v", got)
		}
		err := write(dbtest.Bounded(t), outbox.Table{Name: "nowhere"}, commit, good())
		if err == nil || !strings.Contains(err.Error(), `write 1 events to table nowhere: `) {
			t.Errorf("no table: %v", err)
		}
	})
}

// TestWriteAfterTheEnd is about a transaction that was kept for too long.
func TestWriteAfterTheEnd(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, schema.DDL)
	tx, err := db.Connect(t).Begin(dbtest.Bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(context.WithoutCancel(dbtest.Bounded(t))); err != nil {
		t.Fatal(err)
	}
	for _, events := range [][]outbox.Event{{good()}, {good(), good()}} {
		if err := outbox.Write(dbtest.Bounded(t), tx, events...); !errors.Is(err, pgx.ErrTxClosed) {
			t.Errorf("%d events: got %v, want %v", len(events), err, pgx.ErrTxClosed)
		}
	}
}
