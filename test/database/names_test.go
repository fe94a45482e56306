package database_test

import "testing"

// TestOddNames has names that must be quoted: PostgreSQL takes the publication's from a list of identifiers, and folds
// what is not quoted. A table of the same name in another schema is another table.
func TestOddNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"MixedPub", "with-dash", "a,b", `q"q`, "it's", "ключ"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, outboxTable, `CREATE SCHEMA "App"`,
				`CREATE TABLE "App"."OutBox" ("Id" text PRIMARY KEY, "AggregateType" text NOT NULL, "AggregateId" text NOT NULL, "Pay Load" text)`)
			args := []string{"-publication.name", name, "-table.include.list", `App\.OutBox`, "-table.field.event.id", "Id", "-route.by.field", "AggregateType",
				"-table.field.event.key", "AggregateId", "-table.field.event.payload", "Pay Load"}
			p := r.stream(t, args...)
			r.insert(t, "foreign")
			r.db.Exec(t, `INSERT INTO "App"."OutBox" VALUES ('r1', 'all', 'k', 'x')`)
			if got := r.records(t, "r1"); len(got) != 1 || string(got[0].Key)+string(got[0].Value) != "kx" {
				t.Errorf("records %v", ids(got))
			}
			p.stop(t)
			p = r.stream(t, args...) // now it finds the publication instead of making it
			p.stop(t)
		})
	}
}

// TestSlotBeforePublication makes the slot first. What was written in between can never be read through it, whoever makes
// the publication afterwards: older servers refuse, 18 warns and skips.
func TestSlotBeforePublication(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, `SELECT pg_create_logical_replication_slot(current_database(), 'pgoutput')`)
	r.insert(t, "r1")
	for range 2 { // the first makes the publication
		r.launch(t).mustEnd(t, exitHuman, "publication", "pg_drop_replication_slot")
	}
	r.dropSlot(t)
	p := r.stream(t, "-snapshot.mode", "when_needed")
	r.records(t, "r1")
	p.stop(t)
}

// TestGeneratedColumnIsMissing: PostgreSQL does not send such a column. A first start is refused; later the relay says so
// before the first row.
func TestGeneratedColumnIsMissing(t *testing.T) {
	t.Parallel()
	const generated = `aggregatetype text GENERATED ALWAYS AS ('all') STORED`
	r := newRig(t, `CREATE TABLE outbox (id text PRIMARY KEY, kind text, `+generated+`, aggregateid text NOT NULL, payload text)`)
	r.launch(t).mustEnd(t, exitConfig, "aggregatetype")
	execAt(t, r.db.DSN, `ALTER TABLE outbox DROP aggregatetype`, `ALTER TABLE outbox ADD aggregatetype text`)
	p := r.stream(t)
	p.awaitReady(t)
	execAt(t, r.db.DSN, `ALTER TABLE outbox DROP aggregatetype`, `ALTER TABLE outbox ADD `+generated)
	p.mustTurnRed(t, "aggregatetype")
	r.db.Exec(t, `INSERT INTO outbox (id, kind, aggregateid) VALUES ('r1', 'all', 'k')`)
	p.mustEnd(t, exitConfig, "aggregatetype")
	p = r.stream(t, "-route.by.field", "kind")
	r.records(t, "r1")
	p.stop(t)
}

// TestUnloggedTable: PostgreSQL refuses to publish what it does not write into the WAL.
func TestUnloggedTable(t *testing.T) {
	t.Parallel()
	r := newRig(t, `CREATE UNLOGGED TABLE outbox (id text PRIMARY KEY, aggregatetype text, aggregateid text, payload text)`)
	r.launch(t).mustEnd(t, exitConfig, "outbox", "unlogged")
	r.db.Exec(t, `ALTER TABLE outbox SET LOGGED`)
	p := r.stream(t)
	r.insert(t, "r1")
	r.records(t, "r1")
	p.stop(t)
}
