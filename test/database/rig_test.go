package database_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// topic gets every event. It has one partition, so that the order of records is the order of commits.
const topic = "events"

const outboxTable = `CREATE TABLE outbox (id text PRIMARY KEY, aggregatetype text NOT NULL, aggregateid text NOT NULL, type text, payload text)`

// rig is a database with an outbox, a slot of the database's name, and a broker.
type rig struct {
	db        *pgtest.DB
	dsn       string // what the relays get
	bootstrap string
}

func newRig(t testing.TB, ddl ...string) *rig {
	t.Helper()
	return newRigOn(t, pgtest.Shared(t), ddl...)
}

func newRigOn(t testing.TB, server *pgserver.Server, ddl ...string) *rig {
	t.Helper()
	r := &rig{db: pgtest.CreateDB(t, server)}
	r.dsn = r.db.DSN
	for _, sql := range ddl {
		r.db.Exec(t, sql)
	}
	r.bootstrap, _ = kfaketest.New(t, 1, []string{topic})
	return r
}

// insert commits a row that holds its id as payload.
func (r *rig) insert(t testing.TB, ids ...string) {
	t.Helper()
	for _, id := range ids {
		insertAt(t, r.db.DSN, id)
	}
}

func insertAt(t testing.TB, dsn, id string) {
	t.Helper()
	execAt(t, dsn, `INSERT INTO outbox (id, aggregatetype, aggregateid, payload) VALUES ('`+id+`', 'all', 'k', 'payload of `+id+`')`)
}

// execAt runs statements, each in a transaction of its own.
func execAt(t testing.TB, dsn string, statements ...string) {
	t.Helper()
	ctx := wait.Context(t, patience)
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatalf("exec %q: %v", sql, err)
		}
	}
}

// scalar runs a query with one result.
func scalar[T any](t testing.TB, dsn, sql string) T {
	t.Helper()
	var v T
	if err := queryAt(wait.Context(t, patience), dsn, sql, &v); err != nil {
		t.Fatalf("query %q: %v", sql, err)
	}
	return v
}

func queryAt(ctx context.Context, dsn, sql string, into any) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return conn.QueryRow(ctx, sql).Scan(into)
}

// awaitTrue waits until a query of one boolean says true.
func awaitTrue(t testing.TB, dsn, what, sql string) {
	t.Helper()
	wait.Until(t, patience, what, func(ctx context.Context) error {
		var yes bool
		err := queryAt(ctx, dsn, sql, &yes)
		if err == nil && !yes {
			err = fmt.Errorf("not yet: %s", sql)
		}
		return err
	})
}

// awaitConfirmed waits until the slot is confirmed to where the server writes now.
func (r *rig) awaitConfirmed(t testing.TB) {
	t.Helper()
	end := scalar[string](t, r.db.DSN, `SELECT pg_current_wal_lsn()::text`)
	awaitTrue(t, r.db.DSN, "everything is confirmed",
		`SELECT confirmed_flush_lsn >= '`+end+`' FROM pg_replication_slots WHERE slot_name = '`+r.db.Name+`'`)
}

// records waits for the record of each id and returns all records there are, in their order.
func (r *rig) records(t testing.TB, ids ...string) []*kgo.Record {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(r.bootstrap, ",")...), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx := wait.Context(t, patience)
	var all []*kgo.Record
	missing := slices.Clone(ids)
	for len(missing) > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("no record of %v came: %v", missing, err)
		}
		for _, rec := range fetches.Records() {
			all = append(all, rec)
			missing = slices.DeleteFunc(missing, func(id string) bool { return id == header(rec, "id") })
		}
	}
	return all
}

// ids are the ids of records, in their order.
func ids(records []*kgo.Record) []string {
	var out []string
	for _, rec := range records {
		out = append(out, header(rec, "id"))
	}
	return out
}

func header(rec *kgo.Record, name string) string {
	for _, h := range rec.Headers {
		if h.Key == name {
			return string(h.Value)
		}
	}
	return ""
}
