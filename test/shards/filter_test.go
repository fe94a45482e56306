package shards_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestOtherFilters gives a shard's publication every filter but its own. None may be read.
func TestOtherFilters(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, sql, want string }{
		{"another shard", `ALTER PUBLICATION %q SET TABLE outbox WHERE ((coalesce(hashtext(aggregateid), 0) & 2147483647) %% 2 = 1)`, "does not carry the rows"},
		{"another number", `ALTER PUBLICATION %q SET TABLE outbox WHERE ((coalesce(hashtext(aggregateid), 0) & 2147483647) %% 3 = 0)`, "does not carry the rows"},
		{"another column", `ALTER PUBLICATION %q SET TABLE outbox WHERE ((coalesce(hashtext(id), 0) & 2147483647) %% 2 = 0)`, "does not carry the rows"},
		{"NULL is nowhere", `ALTER PUBLICATION %q SET TABLE outbox WHERE ((hashtext(aggregateid) & 2147483647) %% 2 = 0)`, "does not carry the rows"},
		{"another function", `ALTER PUBLICATION %q SET TABLE outbox WHERE ((coalesce(length(aggregateid), 0) & 2147483647) %% 2 = 0)`, "does not carry the rows"},
		{"none", `ALTER PUBLICATION %q SET TABLE outbox`, "carries all rows"},
		{"updates too", `ALTER PUBLICATION %q SET (publish = 'insert, update')`, "publishes more than inserts"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, outboxTable)
			r.start(t, 0, 2).stop(t)
			r.db.Exec(t, fmt.Sprintf(test.sql, r.name(0, 2)))
			r.launch(t, 0, 2).mustEnd(t, exitConfig, test.want, "ALTER PUBLICATION")
			r.launch(t, 0, 2, "-check").mustEnd(t, exitConfig, test.want)
		})
	}
}

// TestFilterIsChanged changes it under a relay.
func TestFilterIsChanged(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	p := r.start(t, 0, 2)
	p.ready(t, http.StatusOK)
	r.db.Exec(t, fmt.Sprintf(`ALTER PUBLICATION %q SET TABLE outbox`, r.name(0, 2)))
	p.turnsRed(t, "carries all rows")
}

// TestUnshardedRelayOnAShard must refuse the publication of a shard.
func TestUnshardedRelayOnAShard(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.start(t, 1, 2).stop(t)
	r.launch(t, 0, 1, "-publication.name", r.name(1, 2), "-slot.name", "another_"+r.db.Name).mustEnd(t, exitConfig, "hides rows", "shard 1 of 2")
}

// TestSeveralTables has two outboxes with keys of different types, which all have a filter.
func TestSeveralTables(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, `CREATE TABLE numbers (id text, aggregatetype text, aggregateid bigint, payload text)`)
	r.startAll(t, 2, "-table.include.list", "public.outbox,public.numbers")
	ids := numbered("r", 30)
	r.insert(t, ids...)
	r.db.Exec(t, `INSERT INTO numbers SELECT 'n' || n, 'order', n, 'x' FROM generate_series(0, 29) n`)
	r.arrive(t, append(ids, numbered("n", 30)...)...)
	r.db.Exec(t, fmt.Sprintf(`ALTER PUBLICATION %q SET TABLE outbox WHERE ((coalesce(hashtext(aggregateid), 0) & 2147483647) %% 2 = 0)`, r.name(0, 2)))
	r.launch(t, 0, 2, "-table.include.list", "public.outbox,public.numbers").mustEnd(t, exitConfig, "does not carry public.numbers", "hashint8")
}

// TestSnapshot relays the rows that the table holds before the slots, each by its shard.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	ids := append(numbered("before", 60), "null")
	r.insert(t, ids...)
	all := r.startAll(t, 3, "-snapshot.mode", "initial")
	r.arrive(t, ids...)
	more := numbered("r", 30)
	r.insert(t, more...)
	r.arrive(t, append(ids, more...)...)
	if got, want := r.slots(t), "_0_of_3 _1_of_3 _2_of_3"; got != want {
		t.Errorf("slots %q, want %q and no marker of a snapshot", got, want)
	}
	for _, p := range all {
		p.stop(t)
	}
}

// TestRoleWithoutRights gets the SQL for the publications of all shards, and starts with what that has made.
func TestRoleWithoutRights(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	role := "role" + strings.TrimPrefix(r.db.Name, "test")
	r.db.Exec(t, fmt.Sprintf(`CREATE ROLE %q LOGIN REPLICATION PASSWORD 'x'`, role))
	dsn := strings.Replace(r.db.DSN, "postgres://postgres@", "postgres://"+role+":x@", 1)
	p := r.launch(t, 1, 2, "-database.url", dsn, "-check")
	p.mustEnd(t, exitConfig, "repair: ")
	_, sql, _ := strings.Cut(p.Stdout(), "repair: ")
	sql, _, _ = strings.Cut(sql, "\n")
	r.db.Exec(t, sql)
	for i := range 2 {
		r.launch(t, i, 2, "-database.url", dsn, "-slot.create").streams(t)
	}
	ids := numbered("r", 30)
	r.insert(t, ids...)
	r.arrive(t, ids...)
}
