package shards_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/load"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

const outboxTable = `CREATE TABLE outbox (id text PRIMARY KEY, aggregatetype text NOT NULL, aggregateid text, type text, payload text)`

// topics are those of the rows that this package and package load write.
var topics = []string{load.Topic("order"), load.Topic("customer")}

// rig is a database with an outbox and a broker. Slots and publications are named after the database.
type rig struct {
	db        *pgtest.DB
	bootstrap string
	consumer  *judge.Consumer
}

func newRig(t testing.TB, ddl ...string) *rig {
	t.Helper()
	if pgtest.Shared(t).Major() < 15 {
		t.Skip("row filters came with PostgreSQL 15")
	}
	return anyRig(t, ddl...)
}

// anyRig is newRig for any version.
func anyRig(t testing.TB, ddl ...string) *rig {
	t.Helper()
	r := &rig{db: pgtest.NewDB(t)}
	for _, sql := range ddl {
		r.db.Exec(t, sql)
	}
	r.bootstrap, _ = kfaketest.New(t, 4, topics)
	consumer, err := judge.NewConsumer(judge.ConsumerConfig{Brokers: strings.Split(r.bootstrap, ","), Topics: topics})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(consumer.Close)
	r.consumer = consumer
	return r
}

// name is a shard's slot and publication.
func (r *rig) name(index, count int) string {
	if count == 1 {
		return r.db.Name
	}
	return replication.ShardName(r.db.Name, index, count)
}

// relay is one process of the relay.
type relay struct {
	*procs.Proc
	addr string // of its HTTP endpoint
}

// launch starts the relay of a shard and waits for nothing.
func (r *rig) launch(t testing.TB, index, count int, extra ...string) *relay {
	t.Helper()
	args := append([]string{
		"-database.url", r.db.DSN, "-slot.name", r.db.Name, "-publication.name", r.db.Name, "-bootstrap.servers", r.bootstrap,
		"-web.listen-address", "127.0.0.1:0", "-log.format", "json",
	}, extra...)
	if count > 1 {
		args = append(args, "-shard.index", strconv.Itoa(index), "-shard.count", strconv.Itoa(count))
	}
	return &relay{Proc: proctest.Start(t, args, nil)}
}

// start starts a shard's relay and waits until it streams.
func (r *rig) start(t testing.TB, index, count int, extra ...string) *relay {
	t.Helper()
	p := r.launch(t, index, count, extra...)
	p.streams(t)
	return p
}

// startAll starts the relays of all shards at the same moment.
func (r *rig) startAll(t testing.TB, count int, extra ...string) []*relay {
	t.Helper()
	all := make([]*relay, count)
	for i := range all {
		all[i] = r.launch(t, i, count, extra...)
	}
	for _, p := range all {
		p.streams(t)
	}
	return all
}

func (p *relay) streams(t testing.TB) {
	t.Helper()
	p.await(t, "streaming")
	p.addr, _ = procs.LineField(p.await(t, "outbox-relay started"), "listen")
}

// await waits for a message of the log.
func (p *relay) await(t testing.TB, message string) string {
	t.Helper()
	line, err := p.WaitLog(wait.Context(t, patience), 0, procs.Field("message", message))
	if err != nil {
		t.Fatalf("wait for the message %q: %v", message, err)
	}
	return line.Text
}

// ready waits for a status of /readyz and returns the answer.
func (p *relay) ready(t testing.TB, status int) string {
	t.Helper()
	body, err := procs.WaitStatus(wait.Context(t, patience), p.addr, "/readyz", status)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// turnsRed waits until /readyz is red for a reason with this word.
func (p *relay) turnsRed(t testing.TB, word string) {
	t.Helper()
	wait.Until(t, patience, "/readyz is red for "+word, func(ctx context.Context) error {
		status, body, err := procs.Get(ctx, p.addr, "/readyz")
		if err == nil && (status != http.StatusServiceUnavailable || !strings.Contains(string(body), word)) {
			err = fmt.Errorf("it is %d: %s", status, body)
		}
		return err
	})
}

// mustEnd waits for the end and demands an exit code, and words in what was written.
func (p *relay) mustEnd(t testing.TB, code int, words ...string) {
	t.Helper()
	proctest.MustEnd(t, p.Proc, patience, code, words...)
}

// stop is SIGTERM, after which the relay must end with exit code 0.
func (p *relay) stop(t testing.TB) {
	t.Helper()
	code, err := p.Stop(wait.Context(t, patience))
	if err != nil || code != 0 {
		t.Fatalf("stop: exit code %d, %v", code, err)
	}
}

// insert commits a row for each id, whose key is the id too; an id "null" has none.
func (r *rig) insert(t testing.TB, ids ...string) {
	t.Helper()
	r.db.Exec(t, `INSERT INTO outbox (id, aggregatetype, aggregateid, payload) SELECT id, 'order', nullif(id, 'null'), 'x' FROM unnest($1::text[]) id`, ids)
}

// arrive waits for the events and demands that no other has come, and none twice.
func (r *rig) arrive(t testing.TB, ids ...string) {
	t.Helper()
	rows := make([]judge.Committed, len(ids))
	for i, id := range ids {
		rows[i] = judge.Committed{ID: id}
	}
	if err := r.consumer.WaitFor(wait.Context(t, patience), rows); err != nil {
		t.Fatal(err)
	}
	if records, _ := r.consumer.Count(); records != len(ids) {
		t.Errorf("%d records, want one for each of %d events", records, len(ids))
	}
}

// numbered are ids that begin alike.
func numbered(prefix string, n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return ids
}

// scalar runs a query with one result.
func scalar[T any](t testing.TB, r *rig, sql string, args ...any) (v T) {
	t.Helper()
	if err := r.query(wait.Context(t, patience), sql, &v, args...); err != nil {
		t.Fatalf("query %q: %v", sql, err)
	}
	return v
}

func (r *rig) query(ctx context.Context, sql string, into any, args ...any) error {
	conn, err := pgx.Connect(ctx, r.db.DSN)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return conn.QueryRow(ctx, sql, args...).Scan(into)
}

// slots are those of the database, without the database's name.
func (r *rig) slots(t testing.TB) string {
	t.Helper()
	return scalar[string](t, r, `SELECT coalesce(string_agg(replace(slot_name, current_database(), ''), ' ' ORDER BY slot_name), '') FROM pg_replication_slots WHERE database = current_database()`)
}
