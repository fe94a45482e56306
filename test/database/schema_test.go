package database_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// row is the INSERT of a row of the reference columns with a JSON payload whose blanks and order tell its type.
func row(id string) string {
	return `INSERT INTO outbox (id, aggregatetype, aggregateid, payload) VALUES ('` + id + `', 'all', 'k', '{"b":1,  "a":"` + id + `"}')`
}

// change is a migration of the outbox table, with rows before and after it.
type change struct {
	name  string
	ddl   []string
	args  []string
	steps []string // each in a transaction of its own
	want  []string // id, value and the header tenant, if there is one
}

const (
	asWritten  = `{"b":1,  "a":"r1"}` // of type text or json
	asWritten2 = `{"b":1,  "a":"r2"}`
)

var tenant = []string{"-table.fields.additional.placement", "tenant:header", "-table.field.additional.missing", "ignore"}

var changes = []change{
	{
		name: "column added", args: tenant,
		steps: []string{row("r1"), `ALTER TABLE outbox ADD tenant text DEFAULT 'acme'`, row("r2")},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2 + " acme"},
	},
	{
		name: "column dropped", args: tenant, ddl: []string{outboxTable, `ALTER TABLE outbox ADD tenant text DEFAULT 'acme'`},
		steps: []string{row("r1"), `ALTER TABLE outbox DROP tenant`, row("r2")},
		want:  []string{"r1 " + asWritten + " acme", "r2 " + asWritten2},
	},
	{
		name: "column dropped, and another of its name and of another type added", args: tenant, ddl: []string{outboxTable, `ALTER TABLE outbox ADD tenant text DEFAULT 'acme'`},
		steps: []string{row("r1"), `ALTER TABLE outbox DROP tenant, ADD tenant bool DEFAULT true`, row("r2")},
		want:  []string{"r1 " + asWritten + " acme", "r2 " + asWritten2 + " true"},
	},
	{
		name: "columns in another order", ddl: []string{outboxTable},
		steps: []string{row("r1"), `ALTER TABLE outbox RENAME aggregateid TO old`, `ALTER TABLE outbox ADD aggregateid text`, `ALTER TABLE outbox DROP old`, row("r2")},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2},
	},
	{
		name:  "type of the payload changed, which writes all rows anew",
		steps: []string{row("r1"), `ALTER TABLE outbox ALTER payload TYPE jsonb USING payload::jsonb`, row("r2")},
		want:  []string{"r1 " + asWritten, `r2 {"a": "r2", "b": 1}`},
	},
	{
		name:  "type of the payload changed to bytes",
		steps: []string{row("r1"), `ALTER TABLE outbox ALTER payload TYPE bytea USING payload::bytea`, row("r2")},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2},
	},
	{
		name:  "columns renamed to and fro",
		steps: []string{row("r1"), `ALTER TABLE outbox RENAME payload TO body`, `ALTER TABLE outbox RENAME body TO payload`, row("r2")},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2},
	},
	{
		name: "table renamed, to a name that is known too", args: []string{"-table.include.list", "public.outbox,public.events"},
		steps: []string{row("r1"), `ALTER TABLE outbox RENAME TO events`, `INSERT INTO events (id, aggregatetype, aggregateid, payload) VALUES ('r2', 'all', 'k', 'x')`},
		want:  []string{"r1 " + asWritten, "r2 x"},
	},
	{
		name:  "table moved to another schema, and back",
		steps: []string{row("r1"), `CREATE SCHEMA other`, `ALTER TABLE outbox SET SCHEMA other`, `ALTER TABLE other.outbox SET SCHEMA public`, row("r2")},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2},
	},
	{
		name:  "table dropped and made anew",
		steps: []string{row("r1"), `DROP TABLE outbox`, outboxTable, `ALTER PUBLICATION outbox_relay ADD TABLE outbox`, row("r2")},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2},
	},
	{
		name:  "table swapped for another by renaming",
		steps: []string{row("r1"), `CREATE TABLE fresh (LIKE outbox INCLUDING ALL)`, `BEGIN; ALTER TABLE outbox RENAME TO old; ALTER TABLE fresh RENAME TO outbox; ALTER PUBLICATION outbox_relay ADD TABLE outbox; COMMIT`, row("r2")},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2},
	},
	{
		name:  "rows deleted",
		steps: []string{row("r1"), `DELETE FROM outbox`, `BEGIN; ` + row("r2") + `; DELETE FROM outbox; COMMIT`},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2},
	},
	{
		name: "TRUNCATE, published too", ddl: []string{outboxTable, `CREATE PUBLICATION outbox_relay FOR TABLE outbox`}, args: []string{"-slot.create"},
		steps: []string{row("r1"), `TRUNCATE outbox`, row("r2")},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2},
	},
	{
		name: "replica identity changed", ddl: []string{outboxTable, `CREATE PUBLICATION outbox_relay FOR TABLE outbox`}, args: []string{"-slot.create"},
		steps: []string{row("r1"), `ALTER TABLE outbox REPLICA IDENTITY FULL`, row("r2"), `UPDATE outbox SET type = 'x'`, `ALTER TABLE outbox REPLICA IDENTITY DEFAULT`, `DELETE FROM outbox`, row("r3")},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2, `r3 {"b":1,  "a":"r3"}`},
	},
	{
		name: "partition attached", ddl: []string{partitionedTable, `CREATE TABLE outbox_1 PARTITION OF outbox DEFAULT`},
		steps: []string{row("r1"), `CREATE TABLE outbox_2 (LIKE outbox)`, `ALTER TABLE outbox DETACH PARTITION outbox_1`, `ALTER TABLE outbox ATTACH PARTITION outbox_2 DEFAULT`, row("r2"),
			`INSERT INTO outbox_2 (id, aggregatetype, aggregateid, payload) VALUES ('r3', 'all', 'k', 'straight')`},
		want: []string{"r1 " + asWritten, "r2 " + asWritten2, "r3 straight"},
	},
	{
		name: "partition detached and dropped", ddl: []string{partitionedTable, `CREATE TABLE outbox_1 PARTITION OF outbox FOR VALUES IN ('all')`, `CREATE TABLE outbox_2 PARTITION OF outbox DEFAULT`},
		steps: []string{row("r1"), `ALTER TABLE outbox DETACH PARTITION outbox_1`, `DROP TABLE outbox_1`, row("r2")},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2},
	},
	{
		name: "column of another order in a partition", ddl: []string{partitionedTable},
		steps: []string{`CREATE TABLE outbox_1 (payload text, id text, type text, aggregateid text NOT NULL, aggregatetype text NOT NULL)`, `ALTER TABLE outbox ATTACH PARTITION outbox_1 DEFAULT`, row("r1")},
		want:  []string{"r1 " + asWritten},
	},
	{
		name: "rows of another origin",
		steps: []string{`SELECT pg_replication_origin_create(current_database())`, `SELECT pg_replication_origin_session_setup(current_database())`, row("r1"),
			`SELECT pg_replication_origin_session_reset()`, `SELECT pg_replication_origin_drop(current_database())`, row("r2")},
		want: []string{"r1 " + asWritten, "r2 " + asWritten2},
	},
	{
		name: "messages, and a domain", ddl: []string{`CREATE DOMAIN json_text AS text`, `CREATE TABLE outbox (id text PRIMARY KEY, aggregatetype text NOT NULL, aggregateid text NOT NULL, payload json_text)`},
		steps: []string{`SELECT pg_logical_emit_message(true, 'x', 'y')`, row("r1"), `SELECT pg_logical_emit_message(false, 'x', 'y')`, row("r2")},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2},
	},
	{
		name: "inserted and updated, and inserted over another", ddl: []string{outboxTable, `CREATE PUBLICATION outbox_relay FOR TABLE outbox`}, args: []string{"-slot.create"},
		steps: []string{`BEGIN; ` + row("r1") + `; UPDATE outbox SET payload = 'late'; COMMIT`, row("r1") + ` ON CONFLICT (id) DO UPDATE SET payload = 'later'`, row("r1") + ` ON CONFLICT DO NOTHING`, row("r2")},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2},
	},
	{
		name: "an enum gets a value", ddl: []string{`CREATE TYPE kind AS ENUM ('all')`, `CREATE TABLE outbox (id text PRIMARY KEY, aggregatetype kind NOT NULL, aggregateid text NOT NULL, payload text)`},
		steps: []string{row("r1"), `ALTER TYPE kind ADD VALUE 'other'`, `INSERT INTO outbox VALUES ('r2', 'other', 'k', 'x')`},
		want:  []string{"r1 " + asWritten, "r2 x"},
	},
	{
		name: "a type replaced", ddl: []string{`CREATE TYPE kind AS ENUM ('all')`, `CREATE TABLE outbox (id text PRIMARY KEY, aggregatetype kind NOT NULL, aggregateid text NOT NULL, payload text)`},
		steps: []string{row("r1"), `CREATE TYPE kind2 AS ENUM ('all')`, `ALTER TABLE outbox ALTER aggregatetype TYPE kind2 USING aggregatetype::text::kind2`, `DROP TYPE kind`, row("r2")},
		want:  []string{"r1 " + asWritten, "r2 " + asWritten2},
	},
}

// TestTableIsChanged migrates the outbox while the relay streams, and while it is stopped, so that it meets rows that
// are older than the table: each row is relayed by the shape that it was written with, once.
func TestTableIsChanged(t *testing.T) {
	t.Parallel()
	for _, c := range changes {
		for _, stopped := range []bool{false, true} {
			name := c.name + ", while it streams"
			if stopped {
				name = c.name + ", while it is stopped"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c.run(t, stopped)
			})
		}
	}
}

func (c *change) run(t *testing.T, stopped bool) {
	t.Helper()
	ddl := c.ddl
	if ddl == nil {
		ddl = []string{outboxTable}
	}
	r := newRig(t, ddl...)
	p := r.stream(t, c.args...)
	if stopped {
		p.stop(t)
	}
	execAt(t, r.db.DSN, c.steps...)
	if stopped {
		p = r.stream(t, c.args...)
	}
	last, _, _ := strings.Cut(c.want[len(c.want)-1], " ")
	var got []string
	for _, rec := range r.records(t, last) {
		line := header(rec, "id") + " " + string(rec.Value)
		if tenant := header(rec, "tenant"); tenant != "" {
			line += " " + tenant
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(c.want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	p.stop(t)
}
