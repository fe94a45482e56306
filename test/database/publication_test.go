package database_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

const partitionedTable = `CREATE TABLE outbox (id text, aggregatetype text NOT NULL, aggregateid text NOT NULL, type text, payload text) PARTITION BY LIST (aggregatetype)`

// TestPublicationIsChanged changes the publication under a relay and commits a row, which then never comes through the
// slot. The relay must say so, either by its end or in /readyz and the log, and must not start on it. After the repair,
// with a snapshot for the row that the slot lacks, everything has arrived.
func TestPublicationIsChanged(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		since  int // the version of PostgreSQL that brought it
		ddl    []string
		change string
		ends   bool   // the relay, at the row; otherwise it turns red
		code   int    // with which it ends, then or at the next start
		word   string // of the reason
		repair string
		lists  string // table.include.list with which the row is relayed after the repair
	}{
		{name: "dropped", change: `DROP PUBLICATION outbox_relay`, ends: true, code: exitHuman, word: "publication"},
		{name: "without the table", change: `ALTER PUBLICATION outbox_relay DROP TABLE outbox`, code: exitConfig, word: "does not carry",
			repair: `ALTER PUBLICATION outbox_relay ADD TABLE outbox`},
		{name: "without inserts", change: `ALTER PUBLICATION outbox_relay SET (publish = 'update')`, code: exitConfig, word: "does not publish inserts",
			repair: `ALTER PUBLICATION outbox_relay SET (publish = 'insert')`},
		{name: "row filter", since: 15, change: `ALTER PUBLICATION outbox_relay SET TABLE outbox WHERE (id < 'a')`, code: exitConfig, word: "hides rows",
			repair: `ALTER PUBLICATION outbox_relay SET TABLE outbox`},
		{name: "column list", since: 15, change: `ALTER PUBLICATION outbox_relay SET TABLE outbox (id, aggregatetype, aggregateid)`, ends: true, code: exitConfig, word: "payload",
			repair: `ALTER PUBLICATION outbox_relay SET TABLE outbox`},
		{name: "partitions under their own names", ddl: []string{partitionedTable, `CREATE TABLE outbox_1 PARTITION OF outbox DEFAULT`},
			change: `ALTER PUBLICATION outbox_relay SET (publish_via_partition_root = false)`, ends: true, code: exitConfig, word: "partition",
			repair: `ALTER PUBLICATION outbox_relay SET (publish_via_partition_root = true)`, lists: `public\.outbox,public\.outbox_1`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if pgtest.Shared(t).Major() < test.since {
				t.Skipf("came with PostgreSQL %d", test.since)
			}
			if test.ddl == nil {
				test.ddl = []string{outboxTable}
			}
			r := newRig(t, test.ddl...)
			p := r.stream(t)
			r.insert(t, "r1")
			r.records(t, "r1")
			p.awaitReady(t)

			r.db.Exec(t, test.change)
			r.insert(t, "r2")
			if test.ends {
				p.mustEnd(t, test.code, test.word)
			} else {
				p.mustTurnRed(t, test.word)
				p.stop(t)
			}
			r.launch(t).mustEnd(t, test.code, test.word)

			if test.repair != "" {
				r.db.Exec(t, test.repair)
			}
			if test.lists != "" { // nothing is lacking in the slot
				r.launch(t).mustEnd(t, test.code, test.word, "table.include.list")
				p = r.stream(t, "-table.include.list", test.lists)
				r.records(t, "r1", "r2")
				p.stop(t)
				return
			}
			if test.ends { // rows come as they were written, so the repair does not mend what is in the WAL already
				r.launch(t).mustEnd(t, test.code, test.word, "pg_drop_replication_slot", "-snapshot.mode when_needed")
			}
			r.dropSlot(t)
			p = r.stream(t, "-snapshot.mode", "when_needed")
			r.insert(t, "r3")
			r.records(t, "r1", "r2", "r3")
			p.awaitReady(t)
			p.stop(t)
		})
	}
}

// TestColumnListIsSeenBeforeARow hides a needed column while no row comes: the relay must not look well until one does.
func TestColumnListIsSeenBeforeARow(t *testing.T) {
	t.Parallel()
	if pgtest.Shared(t).Major() < 15 {
		t.Skip("column lists came with PostgreSQL 15")
	}
	r := newRig(t, outboxTable)
	p := r.stream(t)
	p.awaitReady(t)
	r.db.Exec(t, `ALTER PUBLICATION outbox_relay SET TABLE outbox (id, aggregatetype, aggregateid)`)
	p.mustTurnRed(t, `payload`)
	r.db.Exec(t, `ALTER PUBLICATION outbox_relay SET TABLE outbox`)
	p.awaitReady(t)
	r.insert(t, "r1")
	r.records(t, "r1")
	p.stop(t)
}

// TestRowsBeforeAHoleAreDelivered: the operator will drop the slot, so what the slot holds before the hole must be out.
func TestRowsBeforeAHoleAreDelivered(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.stream(t).stop(t)
	r.insert(t, "r1")
	const confirmed = `SELECT confirmed_flush_lsn::text FROM pg_replication_slots WHERE slot_name = current_database()`
	before := scalar[string](t, r.db.DSN, confirmed)
	r.db.Exec(t, `DROP PUBLICATION outbox_relay`)
	r.insert(t, "r2")
	r.db.Exec(t, `CREATE PUBLICATION outbox_relay FOR TABLE outbox`)
	for range 3 {
		r.launch(t).mustEnd(t, exitHuman, "publication")
	}
	if got := ids(r.records(t, "r1")); len(got) != 1 {
		t.Errorf("records %v, want r1 once", got)
	}
	if after := scalar[string](t, r.db.DSN, confirmed); after == before {
		t.Errorf("the slot still stands at %s: r1 is not confirmed", after)
	}
}
