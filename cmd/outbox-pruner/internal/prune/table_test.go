package prune_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
	"github.com/outbox-relay/outbox-relay/replication"
)

// Any names, any types of key, more columns than one.
func TestKeys(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, ddl, insert string }{
		{"uuid", `CREATE TABLE outbox (id uuid PRIMARY KEY)`, `INSERT INTO outbox SELECT gen_random_uuid() FROM generate_series(1, 250)`},
		{"text with odd characters", `CREATE TABLE outbox (id text COLLATE "C" PRIMARY KEY)`, `INSERT INTO outbox SELECT 'it''s "ä" \n,' || i FROM generate_series(1, 250) i`},
		{"char", `CREATE TABLE outbox (id char(8) PRIMARY KEY)`, `INSERT INTO outbox SELECT i::text FROM generate_series(1, 250) i`},
		{"numeric", `CREATE TABLE outbox (id numeric PRIMARY KEY)`, `INSERT INTO outbox SELECT i / 7.0 FROM generate_series(1, 250) i`},
		{"bytea", `CREATE TABLE outbox (id bytea PRIMARY KEY)`, `INSERT INTO outbox SELECT decode(md5(i::text), 'hex') FROM generate_series(1, 250) i`},
		{"float", `CREATE TABLE outbox (id float8 PRIMARY KEY)`, `INSERT INTO outbox SELECT sqrt(i) FROM generate_series(1, 250) i`},
		{"timestamptz", `CREATE TABLE outbox (id timestamptz PRIMARY KEY)`, `INSERT INTO outbox SELECT now() + i * interval '1.000001 s' FROM generate_series(1, 250) i`},
		{"enum and domain", `CREATE TYPE color AS ENUM ('red', 'blue'); CREATE DOMAIN number AS int; CREATE TABLE outbox (c color, n number, PRIMARY KEY (c, n))`,
			`INSERT INTO outbox SELECT 'red', i FROM generate_series(1, 150) i; INSERT INTO outbox SELECT 'blue', i FROM generate_series(1, 100) i`},
		{"quoted names", `CREATE TABLE outbox ("Select" int, "b ""c" text, PRIMARY KEY ("b ""c", "Select"))`, `INSERT INTO outbox SELECT i, i % 7 FROM generate_series(1, 250) i`},
		{"unique index", `CREATE TABLE outbox (id int NOT NULL, x int); CREATE UNIQUE INDEX ON outbox (id) INCLUDE (x)`, `INSERT INTO outbox SELECT i, i FROM generate_series(1, 250) i`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tt.ddl)
			r.createSlot(r.slot)
			stop := r.followAny()
			defer stop()
			if err := r.pass(); err != nil {
				t.Fatal(err)
			}
			r.exec(tt.insert)
			if err := r.pass(); err != nil {
				t.Fatal(err)
			}
			if n := one[int](r, `SELECT count(*) FROM outbox`); n != 0 {
				t.Errorf("%d rows are left\n%s", n, r.log)
			}
		})
	}
}

// Each row is looked at once, in the order of the key and not of its text.
func TestWalkIsInOrder(t *testing.T) {
	t.Parallel()
	r := started(t, tableDDL)
	r.exec(`INSERT INTO outbox SELECT i FROM generate_series(95, 1105) i`)
	r.mustPass(func(c *prune.Config) { c.BatchSize = 1 })
	r.want("")
	if want := `"deleted":1011,"looked_at":1011,`; !contains(r.log.String(), want) {
		t.Errorf("log lacks %s\n%s", want, r.log)
	}
}

func TestTablesThatCannotBePruned(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, ddl, want string
		change          func(*prune.Config)
	}{
		{"no key", `CREATE TABLE outbox (id int)`, "neither a primary key", nil},
		{"a key that may be NULL", `CREATE TABLE outbox (id int UNIQUE)`, "neither a primary key", nil},
		{"a partial index", `CREATE TABLE outbox (id int NOT NULL); CREATE UNIQUE INDEX ON outbox (id) WHERE id > 0`, "neither a primary key", nil},
		{"children", tableDDL + `; CREATE TABLE child () INHERITS (outbox)`, "inherit", nil},
		{"not there", tableDDL, "does not exist", func(c *prune.Config) { c.Targets[0].Table.Table = "inbox" }},
		{"no such column", tableDDL, `no column "at"`, func(c *prune.Config) { c.Targets[0].Age, c.Targets[0].Column = prune.ByColumn, "at" }},
		{"no time", tableDDL, "is no time", func(c *prune.Config) { c.Targets[0].Age, c.Targets[0].Column = prune.ByColumn, "payload" }},
		{"no UUID", tableDDL, "not with a UUIDv7", func(c *prune.Config) { c.Targets[0].Age = prune.ByID }},
		{"no state", tableDDL + `; CREATE SCHEMA s`, "-print-sql", func(c *prune.Config) { c.State = catalog.Name{Schema: "s", Table: "x"} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tt.ddl)
			r.createSlot(r.slot)
			change := tt.change
			if change == nil {
				change = func(*prune.Config) {}
			}
			r.refused(r.pass(change), replication.Configuration, tt.want)
		})
	}
}

// A row that somebody else holds is skipped, and goes next time.
func TestHeldRowsAreSkipped(t *testing.T) {
	t.Parallel()
	r := startedAlone(t)
	r.insert(1, 2, 3)
	holder := r.db.Connect(t)
	r.settle()
	if _, err := holder.Exec(r.ctx(), `BEGIN; SELECT FROM outbox WHERE id = 2 FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	stop := r.follow()
	if err := prune.New(r.config()).Run(r.ctx()); err != nil { // settled: the holder is a transaction that runs
		t.Fatal(err)
	}
	stop()
	r.want("2")
	if _, err := holder.Exec(r.ctx(), `COMMIT`); err != nil {
		t.Fatal(err)
	}
	r.mustPass()
	r.want("")
}

// A transaction that is under way when the pruner looks is not past, whatever its rows' numbers are.
func TestTransactionsUnderWay(t *testing.T) {
	t.Parallel()
	r := startedAlone(t)
	writer := r.db.Connect(t)
	if _, err := writer.Exec(r.ctx(), `BEGIN; SELECT pg_current_xact_id(); SAVEPOINT s; INSERT INTO outbox VALUES (1); RELEASE s`); err != nil {
		t.Fatal(err)
	}
	r.insert(2)
	stop := r.follow()
	if err := prune.New(r.config()).Run(r.ctx()); err != nil {
		t.Fatal(err)
	}
	r.want("2") // committed, and not below every transaction that runs
	if want := "rows from since then are kept"; contains(r.log.String(), want) {
		t.Errorf("a transaction of a moment is told:\n%s", r.log)
	}
	if _, err := writer.Exec(r.ctx(), `COMMIT`); err != nil {
		t.Fatal(err)
	}
	stop()
	r.refused(r.pass(impatient), replication.Transient, "has not confirmed")
	r.want("1 2")
	r.mustPass()
	r.want("")
}

// Rewriting a table gives its rows the rewriting transaction.
func TestRewrittenTable(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{`ALTER TABLE outbox ALTER payload TYPE varchar(99), ADD extra float DEFAULT random()`, `VACUUM FULL outbox`} {
		t.Run(strings.Fields(sql)[0], func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tableDDL)
			r.insert(1)
			r.createSlot(r.slot)
			r.mustPass()
			r.exec(sql)
			r.mustPass()
			r.want("1")
			r.insert(2)
			r.mustPass()
			r.want("1")
		})
	}
}

func TestAnotherPrunerAtWork(t *testing.T) {
	t.Parallel()
	r := started(t, tableDDL)
	r.insert(1)
	holder := r.db.Connect(t)
	if _, err := holder.Exec(r.ctx(), `SELECT pg_advisory_lock((1868722290::int8 << 32) | 'outbox'::regclass::oid::int8)`); err != nil {
		t.Fatal(err)
	}
	r.mustPass()
	r.want("1")
	if !contains(r.log.String(), "another pruner") {
		t.Errorf("not told:\n%s", r.log)
	}
}

func TestInbox(t *testing.T) {
	t.Parallel()
	r := newRig(t, tableDDL)
	r.exec(`CREATE TABLE inbox (consumer text, event_id uuid, processed_at timestamptz NOT NULL, PRIMARY KEY (consumer, event_id));
		INSERT INTO inbox SELECT 'billing', gen_random_uuid(), now() - i * interval '1 hour' FROM generate_series(1, 100) i`)
	err := r.pass(func(c *prune.Config) {
		c.Slots = nil
		c.Targets = []prune.Target{{Table: catalog.Name{Schema: "public", Table: "inbox"}, Age: prune.ByColumn, Column: "processed_at", Retention: 49*60*60*1e9 + 60*1e9, Inbox: true}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := one[int](r, `SELECT count(*) FROM inbox`); n != 49 {
		t.Errorf("%d rows are left, want 49", n)
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, tableDDL)
	r.createSlot(r.slot)
	r.insert(1)
	r.mustPass(byColumn)
	r.insert(2, 3)
	var out buffer
	before := one[string](r, `SELECT state::text FROM outbox_pruner`)
	r.mustPass(byColumn, func(c *prune.Config) { c.DryRun, c.Out = true, &out })
	r.want("1 2 3")
	if after := one[string](r, `SELECT state::text FROM outbox_pruner`); after != before {
		t.Error("a dry run changed the state")
	}
	created := one[string](r, `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') FROM outbox WHERE id = 1`)
	for _, want := range []string{"rows                               3", "not proven to be relayed  1", "would be deleted                   2", created} {
		if !contains(out.String(), want) {
			t.Errorf("report lacks %q:\n%s", want, out.String())
		}
	}
}
