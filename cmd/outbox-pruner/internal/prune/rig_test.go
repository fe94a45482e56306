package prune_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// stateDDL is the part of the set-up that is not about the role.
const stateDDL = `CREATE TABLE outbox_pruner (name text PRIMARY KEY, state jsonb NOT NULL, updated_at timestamptz NOT NULL DEFAULT now())`

const tableDDL = `CREATE TABLE outbox (id bigint PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT clock_timestamp(), payload text)`

// rig is a database with an outbox, and a reader that takes rows from its slots as a relay does, over SQL.
type rig struct {
	t    testing.TB
	db   *pgtest.DB
	conn *pgx.Conn
	slot string
	log  *buffer
}

// buffer is a log that several goroutines may write to.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func newRig(t testing.TB, ddl string) *rig { return rigOn(t, pgtest.NewDB(t), ddl) }

// needStamps skips what a pruner without stamps cannot do: the tests' reader comes and goes, and has no walsender by
// which its slot could be known instead.
func needStamps(t testing.TB, db *pgtest.DB) {
	t.Helper()
	if db.Server.Major() < 15 {
		t.Skip("PostgreSQL 14 has no stamps")
	}
}

func rigOn(t testing.TB, db *pgtest.DB, ddl string) *rig {
	t.Helper()
	needStamps(t, db)
	return anyRig(t, db, ddl)
}

// anyRig is rigOn for any version.
func anyRig(t testing.TB, db *pgtest.DB, ddl string) *rig {
	t.Helper()
	r := &rig{t: t, db: db, conn: db.Connect(t), slot: "prune_" + db.Name[5:], log: &buffer{}}
	r.exec(ddl)
	r.exec(stateDDL)
	r.exec(`CREATE PUBLICATION pub FOR TABLE outbox WITH (publish = 'insert', publish_via_partition_root = true)`)
	return r
}

func (r *rig) ctx() context.Context {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	r.t.Cleanup(cancel)
	return ctx
}

func (r *rig) exec(sql string, args ...any) {
	r.t.Helper()
	if _, err := r.conn.Exec(r.ctx(), sql, args...); err != nil { // several statements go without arguments only
		r.t.Fatalf("%s: %v", sql, err)
	}
}

// one asks for a single value.
func one[T any](r *rig, sql string, args ...any) (v T) {
	r.t.Helper()
	if err := r.conn.QueryRow(r.ctx(), sql, args...).Scan(&v); err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func (r *rig) createSlot(name string) {
	r.t.Helper()
	r.exec(`SELECT pg_create_logical_replication_slot($1, 'pgoutput')`, name)
}

func (r *rig) dropSlot(name string) {
	r.t.Helper()
	r.exec(`SELECT pg_drop_replication_slot($1)`, name)
}

// relay takes up to some changes from a slot (all if it is 0), confirms them, and returns the ids of the rows that were inserted
// into the table, which it knows by its name.
func (r *rig) relay(slot string, changes int) []int64 {
	r.t.Helper()
	var limit *int
	if changes > 0 {
		limit = &changes
	}
	rows, err := r.conn.Query(r.ctx(), `SELECT data FROM pg_logical_slot_get_binary_changes($1, NULL, $2, 'proto_version', '1', 'publication_names', 'pub')`, slot, limit)
	if err != nil {
		r.t.Fatalf("read slot: %v", err)
	}
	var ids []int64
	var data []byte
	wanted := map[uint32]bool{} // relations by OID
	if _, err := pgx.ForEachRow(rows, []any{&data}, func() error {
		if data[0] == 'R' { // R oid schema name
			wanted[binary.BigEndian.Uint32(data[1:])] = bytes.HasPrefix(data[5:], []byte("public\x00outbox\x00"))
		}
		if data[0] == 'I' && wanted[binary.BigEndian.Uint32(data[1:])] { // I oid 'N' columns, then 't' length text of the first
			size := binary.BigEndian.Uint32(data[9:13])
			var id int64
			_, err := fmt.Sscan(string(data[13:13+size]), &id)
			ids = append(ids, id)
			return err
		}
		return nil
	}); err != nil {
		r.t.Fatalf("read slot %s: %v", slot, err)
	}
	return ids
}

// config is that of a pruner for the rig: rows go as soon as they are relayed.
func (r *rig) config(change ...func(*prune.Config)) prune.Config {
	dial := replication.Config{ApplicationName: "pruner", Connect: func() (*pgx.ConnConfig, error) { return pgx.ParseConfig(r.db.DSN) }}
	c := prune.Config{
		Connect:   dial.Dial,
		Targets:   []prune.Target{{Table: catalog.Name{Schema: "public", Table: "outbox"}, Age: prune.ByObserved, Zone: time.UTC}},
		Slots:     []prune.Slot{{Name: r.slot, Publication: "pub"}},
		State:     catalog.Name{Schema: "public", Table: "outbox_pruner"},
		BatchSize: 10, LockTimeout: 5 * time.Second, StatementTimeout: time.Minute, ConfirmTimeout: 30 * time.Second,
		Partitions: prune.Keep, Interval: time.Second, Once: true,
		Metrics: prune.NewMetrics(prometheus.NewRegistry()), Log: zerolog.New(r.log), Out: os.Stderr,
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

// impatient does not wait for the slots.
func impatient(c *prune.Config) { c.ConfirmTimeout = 0 }

// byColumn tells age by created_at.
func byColumn(c *prune.Config) { c.Targets[0].Age, c.Targets[0].Column = prune.ByColumn, "created_at" }

// pass makes one pass.
func (r *rig) pass(change ...func(*prune.Config)) error {
	r.t.Helper()
	r.settle()
	return prune.New(r.config(change...)).Run(r.ctx())
}

// mustPass makes one pass that must succeed, while the reader of the slot follows it.
func (r *rig) mustPass(change ...func(*prune.Config)) {
	r.t.Helper()
	stop := r.follow()
	defer stop()
	if err := r.pass(change...); err != nil {
		r.t.Fatalf("pass: %v\n%s", err, r.log)
	}
}

// follow confirms everything that is written, on a connection of its own, until the returned function is called.
func (r *rig) follow(slots ...string) (stop func()) {
	r.t.Helper()
	if slots == nil {
		slots = []string{r.slot}
	}
	ctx, cancel := context.WithCancel(r.ctx())
	conn := r.db.Connect(r.t)
	var done sync.WaitGroup
	done.Go(func() {
		reader := &rig{t: r.t, conn: conn}
		for ctx.Err() == nil {
			for _, s := range slots {
				reader.relay(s, 0)
			}
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

// insert commits rows with these ids.
func (r *rig) insert(ids ...int64) {
	r.t.Helper()
	r.exec(`INSERT INTO outbox (id, payload) SELECT unnest($1::bigint[]), 'x'`, ids)
}

// ids are those of the rows that are there.
func (r *rig) ids() string {
	r.t.Helper()
	return one[string](r, `SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), '') FROM outbox`)
}

// want compares the rows that are there.
func (r *rig) want(ids string) {
	r.t.Helper()
	if got := r.ids(); got != ids {
		r.t.Errorf("rows %q are left, want %q\n%s", got, ids, r.log)
	}
}

// refused checks that a pass fails with words in its error, of a class, and deletes nothing.
func (r *rig) refused(err error, class replication.Class, words ...string) {
	r.t.Helper()
	if err == nil {
		r.t.Fatalf("no error, want one with %q\n%s", words, r.log)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			r.t.Errorf("error %q lacks %q", err, w)
		}
	}
	if got := replication.ClassOf(err); got != class {
		r.t.Errorf("error %q has class %d, want %d", err, got, class)
	}
}
