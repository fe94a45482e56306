package replication_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// events is a Reporter that remembers.
type events struct {
	mu      sync.Mutex
	created []int64
	waits   chan string // application that holds the slot
	blocked chan int32
	changed int
	moved   []pglogrepl.LSN // from, to

	snapshots []bool // whether each was taken again
}

func newEvents() *events {
	return &events{waits: make(chan string, 100), blocked: make(chan int32, 100)}
}

func (e *events) SlotCreated(_ string, _ pglogrepl.LSN, rows int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.created = append(e.created, rows)
}

func (e *events) SnapshotBegins(_ string, _ pglogrepl.LSN, again bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.snapshots = append(e.snapshots, again)
}

func (e *events) WaitingForSlot(_ string, _ int32, application string) {
	select {
	case e.waits <- application:
	default:
	}
}

func (e *events) WaitingForTransaction(pid int32, _, _ string, _ time.Duration) {
	select {
	case e.blocked <- pid:
	default:
	}
}

func (e *events) SlotMoved(_ string, from, to pglogrepl.LSN) { e.moved = append(e.moved, from, to) }

func (e *events) StandbyBehind(_, _ string) {}

func (e *events) HistoryChanged(_, _ replication.Position) { e.changed++ }

// collector is a Handler that acknowledges everything at once.
type collector struct {
	rows  chan string
	mu    sync.Mutex
	at    pglogrepl.LSN
	begun bool
	err   error
}

func (c *collector) Begin(replication.Begin) error { c.begun = true; return nil }
func (c *collector) Relation(*schema.Relation) (bool, error) {
	return true, nil
}

func (c *collector) Insert(_ *schema.Relation, values []schema.Datum) error {
	c.rows <- string(values[0].Bytes)
	return c.err
}
func (c *collector) Update(*schema.Relation, []schema.Datum, bool, []schema.Datum) error {
	return nil
}
func (c *collector) Other(*schema.Relation, replication.Op) error { return nil }

func (c *collector) Message(replication.Message) error { return nil }

func (c *collector) Commit(m replication.Commit) error {
	c.begun = false
	c.advance(m.EndLSN)
	return nil
}

func (c *collector) Keepalive(end pglogrepl.LSN) error {
	if !c.begun {
		c.advance(end)
	}
	return nil
}

func (c *collector) advance(to pglogrepl.LSN) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = max(c.at, to)
}
func (c *collector) Flush()      {}
func (c *collector) Tick() error { return nil }

func (c *collector) Confirmed() pglogrepl.LSN {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func config(t *testing.T, db *pgtest.DB) replication.Config {
	t.Helper()
	tables, err := replication.ParseList("public.outbox")
	if err != nil {
		t.Fatal(err)
	}
	return replication.Config{
		Connect:         func() (*pgx.ConnConfig, error) { return pgx.ParseConfig(db.DSN) },
		ApplicationName: "relay under test", Slot: db.Name, Publication: "outbox", Tables: replication.Filter{IncludeTables: tables},
	}
}

func open(t *testing.T, cfg replication.Config, last replication.Position, report replication.Reporter) (*replication.Stream, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	stream, err := replication.Open(ctx, cfg, last, report)
	if err == nil {
		t.Cleanup(func() { stream.Close() })
	}
	return stream, err
}

const outboxTable = `CREATE TABLE outbox (id int PRIMARY KEY, payload text)`

func TestFirstStart(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, outboxTable)
	db.Exec(t, `INSERT INTO outbox SELECT generate_series(1, 100)`)
	report := newEvents()
	stream, err := open(t, config(t, db), replication.Position{}, report)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.created) != 1 || report.created[0] != 100 {
		t.Errorf("slots made, with rows before them: %v, want one with 100", report.created)
	}
	db.Exec(t, `INSERT INTO outbox VALUES (101)`)
	if got := readRows(t, stream, 1); got[0] != "101" {
		t.Errorf("read row %s, want 101: rows before the slot are not relayed", got[0])
	}
	var shape string
	scan(t, db, &shape, `SELECT concat_ws(' ', pubinsert, pubupdate, pubdelete, pubtruncate) FROM pg_publication WHERE pubname = 'outbox'`)
	if shape != "t f f f" {
		t.Errorf("the publication carries (insert update delete truncate) %s, want inserts only", shape)
	}
}

// readRows runs the stream until n rows came, then stops it in good order.
func readRows(t *testing.T, stream *replication.Stream, n int) []string {
	t.Helper()
	h := &collector{rows: make(chan string, 1000), at: stream.Position().Confirmed}
	stop, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- stream.Run(t.Context(), stop, h) }()
	var rows []string
	deadline := time.After(20 * time.Second)
	for len(rows) < n {
		select {
		case row := <-h.rows:
			rows = append(rows, row)
		case err := <-done:
			t.Fatalf("the stream ended after %d of %d rows: %v", len(rows), n, err)
		case <-deadline:
			t.Fatalf("%d of %d rows came", len(rows), n)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatalf("stop: %v", err)
	}
	ctx, end := context.WithTimeout(t.Context(), 5*time.Second)
	defer end()
	if err := stream.Finish(ctx, h); err != nil {
		t.Fatalf("finish: %v", err)
	}
	if err := stream.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	return rows
}

func scan(t *testing.T, db *pgtest.DB, dst any, sql string, args ...any) {
	t.Helper()
	if err := db.Connect(t).QueryRow(t.Context(), sql, args...).Scan(dst); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// What was confirmed by Finish is not sent again (pain A06, A12).
func TestStopRepeatsNothing(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, outboxTable)
	for round, insert := range []string{"1", "2", "3"} {
		stream, err := open(t, config(t, db), replication.Position{}, newEvents())
		if err != nil {
			t.Fatal(err)
		}
		db.Exec(t, `INSERT INTO outbox VALUES (`+insert+`)`)
		if got := readRows(t, stream, 1); got[0] != insert {
			t.Errorf("round %d: got row %s, want %s", round, got[0], insert)
		}
	}
}

func TestSlotIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, outboxTable)
	cfg := config(t, db)
	stream, err := open(t, cfg, replication.Position{}, newEvents())
	if err != nil {
		t.Fatal(err)
	}
	history := stream.Position()
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	dropSlot(t, db)
	_, err = open(t, cfg, replication.Position{}, newEvents())
	wantProblem(t, err, replication.Human, "slot_missing", "-slot.create")

	cfg.CreateSlot = true
	_, err = open(t, cfg, history, newEvents())
	wantProblem(t, err, replication.Human, "slot_missing", "may have been dropped")

	if _, err = open(t, cfg, replication.Position{}, newEvents()); err != nil {
		t.Errorf("a new process with slot.create: %v", err)
	}
}

func dropSlot(t *testing.T, db *pgtest.DB) {
	t.Helper()
	conn := db.Connect(t)
	deadline := time.Now().Add(10 * time.Second)
	for {
		_, err := conn.Exec(t.Context(), `SELECT pg_drop_replication_slot($1)`, db.Name)
		if err == nil {
			return
		}
		if replication.Reason(err) != "slot_active" || time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func wantProblem(t *testing.T, err error, class replication.Class, reason, text string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("no error, want reason %s", reason)
	case replication.ClassOf(err) != class || replication.Reason(err) != reason || !strings.Contains(err.Error(), text):
		t.Errorf("got class %d, reason %s: %v\nwant class %d, reason %s, with %q", replication.ClassOf(err), replication.Reason(err), err, class, reason, text)
	}
}

// A publication that somebody else made proves no first start; one of the
// relay's own does until a slot was made.
func TestFirstStartMustBeProven(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, outboxTable)
	db.Exec(t, `CREATE PUBLICATION outbox FOR TABLE outbox`)
	_, err := open(t, config(t, db), replication.Position{}, newEvents())
	wantProblem(t, err, replication.Human, "slot_missing", "nothing proves")

	db.Exec(t, `COMMENT ON PUBLICATION outbox IS 'outbox-relay: no slot yet'`)
	if _, err = open(t, config(t, db), replication.Position{}, newEvents()); err != nil {
		t.Errorf("after a start that got as far as the publication: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		sql    []string
		change func(*replication.Config)
		class  replication.Class
		reason string
		text   string
	}{
		{"no table", nil, nil, replication.Configuration, "no_table", "public.outbox"},
		{"a view", []string{`CREATE VIEW outbox AS SELECT 1 AS id`}, nil, replication.Configuration, "table_kind", "a view"},
		{"no publication and none to be made", []string{outboxTable}, func(c *replication.Config) { c.Autocreate = replication.Disabled },
			replication.Configuration, "no_publication", `CREATE PUBLICATION "outbox" FOR TABLE "public"."outbox" WITH (publish = 'insert')`},
		{"a publication without inserts", []string{outboxTable, `CREATE PUBLICATION outbox FOR TABLE outbox WITH (publish = 'delete')`}, nil,
			replication.Configuration, "publication_shape", "SET (publish = 'insert')"},
		{"a publication without the table", []string{outboxTable, `CREATE PUBLICATION outbox`}, nil,
			replication.Configuration, "publication_shape", `ADD TABLE "public"."outbox"`},
		{"a partitioned table under its partitions' names", []string{
			`CREATE TABLE outbox (id int) PARTITION BY RANGE (id)`, `CREATE TABLE outbox_1 PARTITION OF outbox FOR VALUES FROM (1) TO (9)`, `CREATE PUBLICATION outbox FOR TABLE outbox`}, nil,
			replication.Configuration, "publication_shape", "publish_via_partition_root"},
		{"a slot of another plugin", []string{outboxTable, `CREATE PUBLICATION outbox FOR TABLE outbox`, `SELECT pg_create_logical_replication_slot(current_database(), 'test_decoding')`}, nil,
			replication.Configuration, "slot_plugin", "test_decoding"},
		{"a physical slot", []string{outboxTable, `CREATE PUBLICATION outbox FOR TABLE outbox`, `SELECT pg_create_physical_replication_slot(current_database())`}, nil,
			replication.Configuration, "slot_type", "physical"},
		{"a database that does not exist", nil, func(c *replication.Config) {
			connect := c.Connect
			c.Connect = func() (*pgx.ConnConfig, error) {
				parsed, err := connect()
				parsed.Database = "nowhere"
				return parsed, err
			}
		}, replication.Configuration, "no_database", "nowhere"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.NewDB(t)
			for _, sql := range tt.sql {
				db.Exec(t, sql)
			}
			cfg := config(t, db)
			if tt.change != nil {
				tt.change(&cfg)
			}
			_, err := open(t, cfg, replication.Position{}, newEvents())
			wantProblem(t, err, tt.class, tt.reason, tt.text)
			if tt.name == "a physical slot" {
				db.Exec(t, `SELECT pg_drop_replication_slot(current_database())`)
			}
		})
	}
}

func TestRowFilterIsRefused(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	if db.Server.Major() < 15 {
		t.Skip("row filters came with PostgreSQL 15")
	}
	db.Exec(t, outboxTable)
	db.Exec(t, `CREATE PUBLICATION outbox FOR TABLE outbox WHERE (id > 5) WITH (publish = 'insert')`)
	_, err := open(t, config(t, db), replication.Position{}, newEvents())
	wantProblem(t, err, replication.Configuration, "publication_shape", "filter")
}

func TestPartitionedTable(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, `CREATE TABLE outbox (id int, payload text) PARTITION BY RANGE (id)`)
	db.Exec(t, `CREATE TABLE outbox_1 PARTITION OF outbox FOR VALUES FROM (1) TO (10)`)
	stream, err := open(t, config(t, db), replication.Position{}, newEvents())
	if err != nil {
		t.Fatal(err)
	}
	db.Exec(t, `INSERT INTO outbox VALUES (1)`)
	db.Exec(t, `CREATE TABLE outbox_2 PARTITION OF outbox FOR VALUES FROM (10) TO (20)`)
	db.Exec(t, `INSERT INTO outbox VALUES (11)`)
	if got := readRows(t, stream, 2); got[0] != "1" || got[1] != "11" {
		t.Errorf("got rows %v, want 1 and 11, of a partition made later", got)
	}
}

func TestWaitsForTheSlot(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, outboxTable)
	first, err := open(t, config(t, db), replication.Position{}, newEvents())
	if err != nil {
		t.Fatal(err)
	}
	report := newEvents()
	opened := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	go func() {
		second, err := replication.Open(ctx, config(t, db), replication.Position{}, report)
		if err == nil {
			err = second.Close()
		}
		opened <- err
	}()
	if holder := <-report.waits; holder != "relay under test" {
		t.Errorf("waits for %q, want the first relay's application_name", holder)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Errorf("after the first has gone: %v", err)
	}
}

// A transaction that is open keeps a slot from being made: the operator is told
// whose it is (pain B10), and the wait is bounded.
func TestSlotCreationNamesItsBlocker(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, outboxTable)
	blocker := db.Connect(t)
	if _, err := blocker.Exec(t.Context(), `BEGIN; INSERT INTO outbox VALUES (1)`); err != nil {
		t.Fatal(err)
	}
	cfg := config(t, db)
	cfg.CreateTimeout = 5 * time.Second
	report := newEvents()
	_, err := open(t, cfg, replication.Position{}, report)
	if err == nil || !errors.Is(err, context.DeadlineExceeded) || replication.ClassOf(err) != replication.Transient {
		t.Errorf("got %v, want a transient timeout", err)
	}
	if pid := <-report.blocked; pid != int32(blocker.PgConn().PID()) {
		t.Errorf("named pid %d, want %d", pid, blocker.PgConn().PID())
	}
	if _, err := blocker.Exec(t.Context(), `COMMIT`); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, cfg, replication.Position{}, report); err != nil {
		t.Errorf("after it ended: %v", err)
	}
}

func TestHandlerErrorEndsTheStream(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, outboxTable)
	stream, err := open(t, config(t, db), replication.Position{}, newEvents())
	if err != nil {
		t.Fatal(err)
	}
	db.Exec(t, `INSERT INTO outbox VALUES (1)`)
	cause := errors.New("the row cannot be relayed")
	h := &collector{rows: make(chan string, 10), at: stream.Position().Confirmed, err: cause}
	if err := stream.Run(t.Context(), t.Context(), h); !errors.Is(err, cause) {
		t.Errorf("got %v, want the handler's error", err)
	}
}

func TestServerErrorKeepsItsState(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, outboxTable)
	stream, err := open(t, config(t, db), replication.Position{}, newEvents())
	if err != nil {
		t.Fatal(err)
	}
	db.Exec(t, `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = current_database()`)
	err = stream.Run(t.Context(), t.Context(), &collector{rows: make(chan string, 10), at: stream.Position().Confirmed})
	if replication.Reason(err) != "admin_shutdown" || !replication.Retryable(err, true) {
		t.Errorf("got reason %s of %v, want a retryable admin_shutdown", replication.Reason(err), err)
	}
}

// The publication was dropped and made again while a row was written: 17 and
// earlier stop with an error, 18 only warns. Both must end the relay (pain C01, C02).
func TestPublicationHoleIsFatal(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, outboxTable)
	stream, err := open(t, config(t, db), replication.Position{}, newEvents())
	if err != nil {
		t.Fatal(err)
	}
	h := &collector{rows: make(chan string, 10), at: stream.Position().Confirmed}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	db.Exec(t, `DROP PUBLICATION outbox`)
	db.Exec(t, `INSERT INTO outbox VALUES (1)`)
	db.Exec(t, `CREATE PUBLICATION outbox FOR TABLE outbox`)
	stream, err = open(t, config(t, db), replication.Position{}, newEvents())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err = stream.Run(ctx, ctx, h)
	wantProblem(t, err, replication.Human, "publication_missing", "-slot.create")
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, `CREATE TYPE mood AS ENUM ('fine', 'so so')`)
	db.Exec(t, `CREATE DOMAIN amount AS numeric(10,2)`)
	db.Exec(t, `CREATE TABLE outbox (id int PRIMARY KEY, m mood DEFAULT 'fine', ms mood[], a amount, v text DEFAULT 'x', g int GENERATED ALWAYS AS (id + 1) STORED)`)
	stream, err := open(t, config(t, db), replication.Position{}, newEvents())
	if err != nil {
		t.Fatal(err)
	}
	var oids [4]uint32
	conn := db.Connect(t)
	if err := conn.QueryRow(t.Context(), `SELECT 'outbox'::regclass::oid, 'mood'::regtype::oid, 'mood[]'::regtype::oid, 'amount'::regtype::oid`).Scan(&oids[0], &oids[1], &oids[2], &oids[3]); err != nil {
		t.Fatal(err)
	}
	const int4, numeric, text = 23, 1700, 25
	x, fine := "x", "'fine'::mood" // an expression where the type is not built in
	mood := &schema.TypeInfo{Name: "mood", Kind: 'e', Labels: []string{"fine", "so so"}}
	want := &schema.Relation{OID: oids[0], Columns: []schema.Column{
		{Name: "id", TypeOID: int4, Primary: true, NotNull: true},
		{Name: "m", TypeOID: oids[1], Default: &fine, Type: mood},
		{Name: "ms", TypeOID: oids[2], TypeMod: -1, Type: &schema.TypeInfo{Name: "_mood", Kind: 'b', Labels: []string{}, Elem: &schema.Column{Name: "ms", TypeOID: oids[1], TypeMod: -1, Type: mood}}},
		{Name: "a", TypeOID: oids[3], Type: &schema.TypeInfo{Name: "amount", Kind: 'd', Labels: []string{}, Base: &schema.Column{Name: "a", TypeOID: numeric, TypeMod: (10<<16 | 2) + 4}}},
		{Name: "v", TypeOID: text, Default: &x},
		{Name: "g", TypeOID: int4},
		{Name: "gone", TypeOID: int4},
	}}
	got := &schema.Relation{OID: want.OID}
	for _, c := range want.Columns {
		got.Columns = append(got.Columns, schema.Column{Name: c.Name, TypeOID: c.TypeOID, TypeMod: c.TypeMod})
	}
	if err := stream.Describe(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("described (-want +got):\n%s", diff)
	}
}

func TestAutocreate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode  replication.Autocreate
		shape string // whether for all tables, and with which
	}{
		{replication.Filtered, "f public.outbox"},
		{replication.AllTables, "t public.other,public.outbox"},
		{replication.NoTables, "f "},
	}
	for _, tt := range tests {
		t.Run(string(tt.mode), func(t *testing.T) {
			t.Parallel()
			db := pgtest.NewDB(t)
			db.Exec(t, outboxTable)
			db.Exec(t, `CREATE TABLE other (id int)`)
			cfg := config(t, db)
			cfg.Autocreate = tt.mode
			stream, err := open(t, cfg, replication.Position{}, newEvents())
			if err != nil {
				t.Fatal(err)
			}
			var shape string
			scan(t, db, &shape, `SELECT concat(puballtables, ' ', (SELECT string_agg(schemaname || '.' || tablename, ',' ORDER BY tablename) FROM pg_publication_tables p WHERE p.pubname = 'outbox'))
				FROM pg_publication WHERE pubname = 'outbox'`)
			if shape != tt.shape {
				t.Errorf("publication is %q, want %q", shape, tt.shape)
			}
			db.Exec(t, `INSERT INTO outbox VALUES (1)`)
			if tt.mode == replication.NoTables {
				wantUnpublished(t, cfg)
				db.Exec(t, `ALTER PUBLICATION outbox ADD TABLE outbox`)
				db.Exec(t, `INSERT INTO outbox VALUES (2)`)
			}
			rows := readRows(t, stream, 1)
			if want := map[bool]string{true: "2", false: "1"}[tt.mode == replication.NoTables]; rows[0] != want {
				t.Errorf("read row %s, want %s", rows[0], want)
			}
		})
	}
}

// Publishing updates of a table without replica identity would make the
// application's own fail.
func TestPublicationLetsTheApplicationUpdate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		ddl   []string
		shape string
	}{
		{"no key", []string{`CREATE TABLE outbox (id int)`}, "t f f f"},
		{"a key that is not the identity", []string{outboxTable, `ALTER TABLE outbox REPLICA IDENTITY NOTHING`}, "t f f f"},
		{"all columns", []string{`CREATE TABLE outbox (id int)`, `ALTER TABLE outbox REPLICA IDENTITY FULL`}, "t t f f"},
		{"an index", []string{`CREATE TABLE outbox (id int NOT NULL)`, `CREATE UNIQUE INDEX i ON outbox (id)`, `ALTER TABLE outbox REPLICA IDENTITY USING INDEX i`}, "t t f f"},
		{"partitions", []string{`CREATE TABLE outbox (id int PRIMARY KEY) PARTITION BY RANGE (id)`, `CREATE TABLE outbox_1 PARTITION OF outbox DEFAULT`}, "t t f f"},
		{"partitions without key", []string{`CREATE TABLE outbox (id int) PARTITION BY RANGE (id)`, `CREATE TABLE outbox_1 PARTITION OF outbox DEFAULT`, `ALTER TABLE outbox REPLICA IDENTITY FULL`}, "t f f f"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.NewDB(t)
			for _, sql := range tt.ddl {
				db.Exec(t, sql)
			}
			cfg := config(t, db)
			cfg.PublishUpdates = true
			if _, err := open(t, cfg, replication.Position{}, newEvents()); err != nil {
				t.Fatal(err)
			}
			var shape string
			scan(t, db, &shape, `SELECT concat_ws(' ', pubinsert, pubupdate, pubdelete, pubtruncate) FROM pg_publication WHERE pubname = 'outbox'`)
			if shape != tt.shape {
				t.Errorf("the publication carries (insert update delete truncate) %s, want %s", shape, tt.shape)
			}
			db.Exec(t, `INSERT INTO outbox (id) VALUES (1)`)
			db.Exec(t, `UPDATE outbox SET id = 2`)
			db.Exec(t, `DELETE FROM outbox`)
		})
	}
}

// wantUnpublished checks that the watch over the slot tells that the publication
// does not carry the table.
func wantUnpublished(t *testing.T, cfg replication.Config) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	replication.Monitor(ctx, cfg, time.Second, func(s replication.Sample) {
		wantProblem(t, s.Tables, replication.Configuration, "publication_shape", "ADD TABLE")
		cancel()
	})
}

func TestFailoverNeeds17(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, outboxTable)
	cfg := config(t, db)
	cfg.Failover = true
	_, err := open(t, cfg, replication.Position{}, newEvents())
	if db.Server.Major() < 17 {
		wantProblem(t, err, replication.Configuration, "unsupported", "slot.failover")
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var failover bool
	scan(t, db, &failover, `SELECT failover FROM pg_replication_slots WHERE slot_name = current_database()`)
	if !failover {
		t.Error("the slot is no failover slot")
	}
}

// A slot that exists is altered, and one that a snapshot made too.
func TestFailoverOfSlotsThatExist(t *testing.T) {
	t.Parallel()
	if pgtest.Shared(t).Major() < 17 {
		t.Skip("failover slots came with PostgreSQL 17")
	}
	for _, mode := range []replication.SnapshotMode{replication.NoData, replication.Initial} {
		db := pgtest.NewDB(t)
		db.Exec(t, outboxTable)
		cfg := config(t, db)
		if mode == replication.NoData {
			stream, err := open(t, cfg, replication.Position{}, newEvents())
			if err != nil {
				t.Fatal(err)
			}
			if err := stream.Close(); err != nil {
				t.Fatal(err)
			}
		}
		cfg.Failover, cfg.Snapshot = true, mode
		session, err := replication.Prepare(t.Context(), cfg, replication.Position{}, newEvents())
		if err != nil {
			t.Fatal(err)
		}
		session.Close()
		var failover bool
		scan(t, db, &failover, `SELECT failover FROM pg_replication_slots WHERE slot_name = current_database()`)
		if !failover {
			t.Errorf("mode %s: the slot is no failover slot", mode)
		}
	}
}

func TestDropSlot(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, outboxTable)
	cfg := config(t, db)
	stream, err := open(t, cfg, replication.Position{}, newEvents())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := replication.DropSlot(ctx, cfg); replication.Reason(err) != "slot_active" {
		t.Errorf("while it is read: got %v, want that it is active", err)
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time it is gone
		if err := replication.DropSlot(t.Context(), cfg); err != nil {
			t.Error(err)
		}
	}
	var slots int
	scan(t, db, &slots, `SELECT count(*) FROM pg_replication_slots WHERE database = current_database()`)
	if slots != 0 {
		t.Errorf("%d slots are left", slots)
	}
}
