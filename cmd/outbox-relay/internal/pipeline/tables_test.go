package pipeline_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/replication"
)

// Several tables, each with columns of its own, and one that appears later and is
// added to the publication.
func TestSeveralTables(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable,
		`CREATE SCHEMA tenant_1`,
		`CREATE TABLE tenant_1.outbox (extra int, payload text, aggregateid bigint NOT NULL, aggregatetype text NOT NULL, tenant text, id bigint PRIMARY KEY)`,
		`CREATE TABLE other (LIKE outbox)`, `CREATE SCHEMA tenant_2`)
	r.replication.Tables = replication.Filter{IncludeTables: list(t, `(PUBLIC|tenant_\d)\.outbox`)}
	r.router.AdditionalPlacement, r.router.AdditionalMissing = "tenant:header", "ignore"
	run := r.start(t)
	run.streaming(t)
	r.insert(t, "outbox", 1)
	r.db.Exec(t, `INSERT INTO tenant_1.outbox VALUES (1, 'one', 7, 'all', 'acme', 2)`)
	r.db.Exec(t, `CREATE TABLE tenant_2.outbox (id int, aggregatetype text, aggregateid text, payload json)`)
	r.db.Exec(t, `ALTER PUBLICATION outbox ADD TABLE tenant_2.outbox, other`)
	r.insert(t, "other", 3)
	r.db.Exec(t, `INSERT INTO tenant_2.outbox VALUES (4, 'all', 'k', '[ 4 ]')`)
	r.db.Exec(t, `ALTER TABLE tenant_1.outbox DROP COLUMN extra, DROP COLUMN tenant`)
	r.db.Exec(t, `INSERT INTO tenant_1.outbox VALUES ('five', 8, 'all', 5)`)
	got := r.records(t, r.topic, 4)
	run.stop(t)
	wantTexts(t, got, `k {} id=`+rowID(1), `7 one id=2 tenant=acme`, `k [ 4 ] id=4`, `8 five id=5`)
	if n := r.held(r.topic); n != 4 {
		t.Errorf("%d records, want 4: nothing of the table that is not included", n)
	}
}

func TestExcludedTable(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, `CREATE TABLE other (LIKE outbox)`, `CREATE SCHEMA archive`, `CREATE TABLE archive.outbox (LIKE outbox)`,
		`CREATE PUBLICATION outbox FOR ALL TABLES`)
	r.replication.CreateSlot = true
	r.replication.Tables = replication.Filter{ExcludeTables: list(t, `public\.other`), ExcludeSchemas: list(t, "archive")}
	run := r.start(t)
	run.streaming(t)
	r.insert(t, "other", 1)
	r.insert(t, "archive.outbox", 2)
	r.insert(t, "outbox", 3)
	wantTexts(t, r.records(t, r.topic, 1), `k {} id=`+rowID(3))
	run.stop(t)
}

// Golden case column-exclude: the router does not see the column.
func TestExcludedColumn(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, `ALTER TABLE outbox ADD tenant text, ADD version int`)
	r.relay.ExcludeColumns = list(t, `public\.outbox\.TENANT, public\.outbox\.type`)
	r.router.AdditionalPlacement, r.router.AdditionalMissing = "tenant:header,version:header", "ignore"
	run := r.start(t)
	run.streaming(t)
	r.db.Exec(t, `INSERT INTO outbox VALUES ($1, 'all', 'k', 'T', '{"a": 1}', 'acme', 3)`, rowID(1))
	r.db.Exec(t, `INSERT INTO outbox VALUES ($1, 'all', 'k', 'T', NULL, 'acme', NULL)`, rowID(2))
	wantTexts(t, r.records(t, r.topic, 2), `k {"a": 1} id=`+rowID(1)+` version=3`, `k null id=`+rowID(2)+` version=null`)
	run.stop(t)
}

// A first start makes no slot for a table of which no row could be relayed. Where
// a slot exists, what waits in it comes first.
func TestExcludedColumnThatIsNeeded(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	exclude := list(t, `.*\.payload`)
	r.relay.ExcludeColumns = exclude
	wantProblem(t, r.start(t).wait(t), replication.Configuration, `"payload"`)
	var slots int
	if err := r.db.Connect(t).QueryRow(t.Context(), `SELECT count(*) FROM pg_replication_slots WHERE slot_name = current_database()`).Scan(&slots); err != nil || slots != 0 {
		t.Fatalf("%d slots, %v; want none", slots, err)
	}

	r.relay.ExcludeColumns = replication.List{}
	run := r.start(t)
	run.streaming(t)
	run.stop(t)
	r.relay.ExcludeColumns = exclude
	run = r.start(t)
	run.streaming(t)
	r.insert(t, "outbox", 1)
	wantProblem(t, run.wait(t), replication.Configuration, `"payload"`)
}
