package database_test

import (
	"strings"
	"testing"
)

// insertInto commits a row of an outbox that goes by another name.
func insertInto(table, id string) string {
	return `INSERT INTO ` + table + ` (id, aggregatetype, aggregateid, payload) VALUES ('` + id + `', 'all', 'k', 'x')`
}

// TestRenamedBeforeItsFirstRow renames the outbox while the relay has seen no row of it yet. What is written under the
// other name comes through the slot, and to skip it as another table's would lose it.
func TestRenamedBeforeItsFirstRow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, now string // the other name
		sql       []string
		rows      []string
	}{
		{"for good", "public.outbox_v1", []string{`ALTER TABLE outbox RENAME TO outbox_v1`, insertInto("outbox_v1", "r1")}, []string{"r1"}},
		{"and back", "public.outbox_v1", []string{`ALTER TABLE outbox RENAME TO outbox_v1`, insertInto("outbox_v1", "r1"),
			`ALTER TABLE outbox_v1 RENAME TO outbox`, insertInto("outbox", "r2")}, []string{"r1", "r2"}},
		{"to another schema", "attic.outbox", []string{`CREATE SCHEMA attic`, `ALTER TABLE outbox SET SCHEMA attic`, insertInto("attic.outbox", "r1")}, []string{"r1"}},
		{"swapped in one transaction", "public.outbox_v1", []string{`DO $$ BEGIN ALTER TABLE outbox RENAME TO outbox_v1; CREATE TABLE outbox (LIKE outbox_v1 INCLUDING ALL);
			ALTER PUBLICATION outbox_relay ADD TABLE outbox; ` + insertInto("outbox_v1", "r1") + `; END $$`, insertInto("outbox", "r2")}, []string{"r1", "r2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, outboxTable)
			p := r.stream(t)
			execAt(t, r.db.DSN, test.sql...)
			p.mustEnd(t, exitConfig, test.now, "table.include.list", "name it too")
			p = r.stream(t, "-table.include.list", "public.outbox,"+strings.ReplaceAll(test.now, ".", `\.`))
			r.records(t, test.rows...)
			p.stop(t)
		})
	}
}

// passedBy is what the relay says before it passes rows of an unnamed table by.
const passedBy = "rows of a published table that has the columns of an outbox are not relayed: no option names it; name it if it is one, perhaps renamed, else take it out of the publication"

// swap exchanges the outbox for a new one, and writes into both.
var swap = []string{`ALTER TABLE outbox RENAME TO outbox_v1`, `CREATE TABLE outbox (LIKE outbox_v1 INCLUDING ALL)`}

// TestSwappedWhileStopped: nothing tells the relay any more that the table of another name was the outbox. A publication
// that names it still says that its rows are wanted, so none is passed by, however often the relay is started.
func TestSwappedWhileStopped(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.stream(t).stop(t)
	execAt(t, r.db.DSN, append(swap, `ALTER PUBLICATION outbox_relay ADD TABLE outbox`, insertInto("outbox_v1", "r1"), insertInto("outbox", "r2"))...)
	for range 2 {
		r.launch(t).mustEnd(t, exitConfig, "public.outbox_v1", "table.include.list", "table.unnamed.handling.mode")
	}
	p := r.stream(t, "-table.include.list", `public\.outbox,public\.outbox_v1`)
	r.records(t, "r1", "r2")
	p.stop(t)
}

// TestRestartedAfterARename starts the relay again as a supervisor does, with the names that it had: a new outbox of the
// old name is no reason to pass the old one's rows by.
func TestRestartedAfterARename(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	p := r.stream(t)
	execAt(t, r.db.DSN, append(swap, `ALTER PUBLICATION outbox_relay ADD TABLE outbox`, insertInto("outbox_v1", "r1"), insertInto("outbox", "r2"))...)
	p.mustEnd(t, exitConfig, "public.outbox_v1", "name it too")
	for range 2 {
		r.launch(t).mustEnd(t, exitConfig, "public.outbox_v1", "table.include.list")
	}
	p = r.stream(t, "-table.include.list", `public\.outbox,public\.outbox_v1`)
	r.records(t, "r1", "r2")
	p.stop(t)
}

// TestUnnamedTable has every mode do what it says about the rows of a table that looks like an outbox.
func TestUnnamedTable(t *testing.T) {
	t.Parallel()
	const all = `CREATE PUBLICATION outbox_relay FOR ALL TABLES`
	const listed = `CREATE PUBLICATION outbox_relay FOR TABLE outbox, other`
	for _, test := range []struct {
		name, publication string
		args              []string
		fails             bool
	}{
		{"named by the publication", listed, nil, true},
		{"named, but told to be another's", listed, []string{"-table.unnamed.handling.mode", "warn"}, false},
		{"all tables", all, nil, false},
		{"all tables, strictly", all, []string{"-table.unnamed.handling.mode", "fail"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, outboxTable, `CREATE TABLE other (LIKE outbox INCLUDING ALL)`, test.publication)
			p := r.stream(t, append(test.args, "-slot.create")...)
			execAt(t, r.db.DSN, insertInto("outbox", "r1"), insertInto("other", "o1"), insertInto("outbox", "r2"))
			if test.fails {
				p.mustEnd(t, exitConfig, "public.other", "table.unnamed.handling.mode")
				r.records(t, "r1")
				return
			}
			r.records(t, "r1", "r2")
			if line := p.await(t, 0, passedBy); !strings.Contains(line.Text, "public.other") {
				t.Errorf("the warning does not name the table: %s", line.Text)
			}
			p.stop(t)
		})
	}
}

// TestOutboxBecomesAPartition is how a plain table is made a partitioned one: it gets another name and becomes a
// partition of a new outbox. It is announced by that name, but its rows come as the outbox's, so there is nothing to refuse.
func TestOutboxBecomesAPartition(t *testing.T) {
	t.Parallel()
	r := newRig(t, strings.Replace(outboxTable, "id text PRIMARY KEY", "id text", 1),
		`CREATE PUBLICATION outbox_relay FOR TABLE outbox WITH (publish = 'insert', publish_via_partition_root = true)`)
	p := r.stream(t, "-slot.create")
	r.insert(t, "r1")
	execAt(t, r.db.DSN, `DO $$ BEGIN ALTER TABLE outbox RENAME TO outbox_old; CREATE TABLE outbox (LIKE outbox_old) PARTITION BY LIST (aggregateid);
		ALTER TABLE outbox ATTACH PARTITION outbox_old DEFAULT; ALTER PUBLICATION outbox_relay DROP TABLE outbox_old; ALTER PUBLICATION outbox_relay ADD TABLE outbox; END $$`)
	r.insert(t, "r2")
	r.records(t, "r1", "r2")
	if strings.Contains(p.Stderr()+p.Stdout(), "columns of an outbox are not relayed") {
		t.Error("a partition's rows are said to be passed by")
	}
	p.stop(t)
}

// TestUnloggedPartition: PostgreSQL publishes the root, and never writes such a partition's rows into the WAL.
func TestUnloggedPartition(t *testing.T) {
	t.Parallel()
	r := newRig(t, strings.Replace(outboxTable, "id text PRIMARY KEY", "id text", 1)+` PARTITION BY LIST (aggregateid)`,
		`CREATE TABLE part_k PARTITION OF outbox FOR VALUES IN ('k') PARTITION BY LIST (aggregatetype)`,
		`CREATE UNLOGGED TABLE part_k_all PARTITION OF part_k FOR VALUES IN ('all')`)
	r.launch(t).mustEnd(t, exitConfig, "part_k_all", "unlogged", "SET LOGGED")
	r.launch(t, "-check").mustEnd(t, exitConfig, "part_k_all", "unlogged")
	r.db.Exec(t, `ALTER TABLE part_k_all SET LOGGED`)
	p := r.stream(t)
	r.insert(t, "r1")
	r.records(t, "r1")
	execAt(t, r.db.DSN, `CREATE FOREIGN DATA WRAPPER nowhere`, `CREATE SERVER far FOREIGN DATA WRAPPER nowhere`,
		`CREATE FOREIGN TABLE part_far PARTITION OF outbox FOR VALUES IN ('far') SERVER far`)
	p.mustTurnRed(t, "part_far", "foreign")
	r.db.Exec(t, `ALTER TABLE outbox DETACH PARTITION part_far`)
	p.awaitReady(t)
	p.stop(t)
}
