package prune_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/replication"
)

func TestPublicationsThatProveNothing(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, sql, want string }{
		{"without the table", `ALTER PUBLICATION pub DROP TABLE outbox`, "does not name public.outbox"},
		{"without inserts", `ALTER PUBLICATION pub SET (publish = 'update')`, "does not publish inserts"},
		{"with a filter", `ALTER PUBLICATION pub SET TABLE outbox WHERE (id > 5)`, "hides rows"},
		{"gone", `DROP PUBLICATION pub`, "does not exist"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, _ := proven(t)
			if tt.name == "with a filter" && r.db.Server.Major() < 15 {
				t.Skip("row filters came with 15")
			}
			r.exec(tt.sql)
			r.refused(r.pass(), replication.Configuration, tt.want)
			r.want("1")
		})
	}
}

// What was inserted while the table was out of the publication was not sent, and the slot's position is past it.
func TestTableOutOfThePublicationForAWhile(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, out, in string }{
		{"table", `ALTER PUBLICATION pub DROP TABLE outbox`, `ALTER PUBLICATION pub ADD TABLE outbox`},
		{"inserts", `ALTER PUBLICATION pub SET (publish = 'delete')`, `ALTER PUBLICATION pub SET (publish = 'insert')`},
		{"publication", `DROP PUBLICATION pub`, `CREATE PUBLICATION pub FOR TABLE outbox WITH (publish = 'insert')`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := started(t, tableDDL)
			r.exec(tt.out)
			r.insert(1)
			r.exec(tt.in)
			r.insert(2)
			if tt.name == "publication" { // which the slot's past does not know
				r.exec(`SELECT pg_replication_slot_advance(slot_name, pg_current_wal_lsn()) FROM pg_replication_slots WHERE slot_name = $1`, r.slot)
			}
			r.mustPass()
			r.insert(3)
			r.mustPass()
			r.want("1 2")
		})
	}
}

func TestPublishedDeletesAreTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, tableDDL)
	r.createSlot(r.slot)
	r.exec(`ALTER PUBLICATION pub SET (publish = 'insert, delete')`)
	r.mustPass()
	if want := "the publication publishes deletes"; !contains(r.log.String(), want) {
		t.Errorf("log lacks %q:\n%s", want, r.log)
	}
	r.insert(1)
	r.mustPass()
	r.want("")
}

func TestNoIndexIsTold(t *testing.T) {
	t.Parallel()
	r := started(t, tableDDL, byColumn)
	want := `CREATE INDEX CONCURRENTLY ON \"public\".\"outbox\" (\"created_at\")`
	if !contains(r.log.String(), want) {
		t.Errorf("log lacks %q:\n%s", want, r.log)
	}
	r.exec(`CREATE INDEX ON outbox (created_at)`)
	r.log = &buffer{}
	r.exec(`INSERT INTO outbox SELECT generate_series(1, 333)`)
	r.mustPass(byColumn)
	r.want("")
	if contains(r.log.String(), want) {
		t.Errorf("log has %q:\n%s", want, r.log)
	}
}

func TestMissingPrivileges(t *testing.T) {
	t.Parallel()
	r, _ := proven(t)
	role := r.role()
	name := "role_" + r.db.Name[5:]
	for _, revoke := range []string{"SELECT", "DELETE", "UPDATE (id)"} {
		r.exec(`REVOKE ` + revoke + ` ON outbox FROM ` + name)
		r.refused(r.pass(role), replication.Configuration, `GRANT SELECT, DELETE, UPDATE ("id") ON "public"."outbox"`)
		r.exec(`GRANT ` + revoke + ` ON outbox TO ` + name)
	}
	r.exec(`REVOKE SELECT ON outbox_pruner FROM ` + name)
	r.refused(r.pass(role), replication.Configuration, `GRANT SELECT, INSERT, UPDATE ON "public"."outbox_pruner"`)
}
