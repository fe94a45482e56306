package shards_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// The exit codes, as the README promises them.
const (
	exitConfig = 2 // the configuration must change
	exitHuman  = 3 // a person must decide
)

// TestFirstShardMakesAll starts one shard of three alone. The rows of the others must wait in slots of their own, and
// arrive when their relays are started at last.
func TestFirstShardMakesAll(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.insert(t, "before") // of the slots, and so sent by nobody
	first := r.start(t, 1, 3)
	if got, want := r.slots(t), "_0_of_3 _1_of_3 _2_of_3"; got != want {
		t.Fatalf("slots %q, want %q", got, want)
	}
	if n := scalar[int](t, r, `SELECT count(DISTINCT restart_lsn)::int FROM pg_replication_slots WHERE slot_name LIKE current_database() || '%' AND NOT active`); n != 1 {
		t.Errorf("the slots that nobody reads begin at %d positions, want one", n)
	}
	first.ready(t, http.StatusOK)
	ids := append(numbered("r", 60), "null")
	r.insert(t, ids...)
	r.start(t, 2, 3)
	r.start(t, 0, 3)
	r.arrive(t, ids...)
	first.stop(t)
	more := numbered("s", 30)
	r.insert(t, more...)
	r.start(t, 1, 3)
	r.arrive(t, append(ids, more...)...)
}

// TestShardsStartTogether starts all for the first time at the same moment, with the option that allows to make a slot.
func TestShardsStartTogether(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	all := r.startAll(t, 4, "-slot.create")
	ids := numbered("r", 100)
	r.insert(t, ids...)
	r.arrive(t, ids...)
	made := 0
	for _, p := range all {
		p.ready(t, http.StatusOK)
		made += strings.Count(p.Stdout()+p.Stderr(), "replication slot created")
	}
	if made != 4 {
		t.Errorf("%d slots were made by all, want 4", made)
	}
}

// TestPartitionedOutbox divides the rows of a root, whose partitions have their columns in another order.
func TestPartitionedOutbox(t *testing.T) {
	t.Parallel()
	r := newRig(t, `CREATE TABLE outbox (id text, aggregatetype text NOT NULL, aggregateid text, type text, payload text) PARTITION BY LIST (left(id, 1))`,
		`CREATE TABLE outbox_r PARTITION OF outbox FOR VALUES IN ('r')`,
		`CREATE TABLE outbox_other (payload text, type text, aggregateid text, aggregatetype text NOT NULL, id text)`,
		`ALTER TABLE outbox ATTACH PARTITION outbox_other DEFAULT`)
	r.startAll(t, 2)
	ids := append(numbered("r", 40), numbered("s", 40)...)
	r.insert(t, ids...)
	r.arrive(t, ids...)
}

// TestInterruptedFirstStart leaves a first start that made one of three slots when it was killed. Nothing was read, so
// the next start completes it.
func TestInterruptedFirstStart(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.start(t, 0, 3).stop(t)
	for i := range 3 {
		r.db.Exec(t, fmt.Sprintf(`COMMENT ON PUBLICATION %q IS 'outbox-relay: no slot yet'`, r.name(i, 3)))
	}
	r.db.Exec(t, `SELECT pg_drop_replication_slot($1)`, r.name(1, 3))
	r.db.Exec(t, `SELECT pg_drop_replication_slot($1)`, r.name(2, 3))
	ids := numbered("r", 60)
	r.insert(t, ids...)
	r.startAll(t, 3)
	r.arrive(t, ids...)
}

// TestSiblingSlotIsMissing drops the slot of a shard whose relay does not run, which then cannot tell: the others must.
func TestSiblingSlotIsMissing(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	p := r.start(t, 0, 2)
	p.ready(t, http.StatusOK)
	r.db.Exec(t, `SELECT pg_drop_replication_slot($1)`, r.name(1, 2))
	p.turnsRed(t, r.name(1, 2))
	p.await(t, "new rows may not be relayed")
	r.launch(t, 0, 2, "-check").mustEnd(t, 0, r.name(1, 2), "does not exist")
	r.launch(t, 1, 2).mustEnd(t, exitHuman, "does not exist")
	other := r.start(t, 1, 2, "-slot.create") // a person has decided: publications and comments say that the slot was there
	p.ready(t, http.StatusOK)
	other.ready(t, http.StatusOK)
	ids := numbered("r", 20)
	r.insert(t, ids...)
	r.arrive(t, ids...)
}

// TestSomeButNotAll has publications by hand and slots for some shards: -slot.create would skip rows of the others.
func TestSomeButNotAll(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	p := r.launch(t, 0, 3, "-publication.autocreate.mode", "disabled")
	p.mustEnd(t, exitConfig, r.name(0, 3), r.name(1, 3), r.name(2, 3), "CREATE PUBLICATION")
	for i := range 3 {
		r.db.Exec(t, fmt.Sprintf(`CREATE PUBLICATION %q FOR TABLE outbox WHERE ((coalesce(hashtext(aggregateid), 0) & 2147483647) %% 3 = %d) WITH (publish = 'insert')`, r.name(i, 3), i))
	}
	r.launch(t, 0, 3).mustEnd(t, exitHuman, "nothing proves that this is the first start")
	r.db.Exec(t, `SELECT pg_create_logical_replication_slot($1, 'pgoutput')`, r.name(0, 3))
	r.launch(t, 2, 3, "-slot.create").mustEnd(t, exitHuman, r.name(1, 3), r.name(2, 3), "pg_create_logical_replication_slot")
	r.launch(t, 2, 3, "-check", "-slot.create").mustEnd(t, exitHuman, r.name(1, 3), r.name(2, 3))
	r.db.Exec(t, `SELECT pg_drop_replication_slot($1)`, r.name(0, 3))
	r.start(t, 2, 3, "-slot.create") // of none it makes all
	ids := numbered("r", 30)
	r.insert(t, ids...)
	r.start(t, 0, 3)
	r.start(t, 1, 3)
	r.arrive(t, ids...)
}

// TestMissingPublication drops one before a start, which must say how to make it and not go on.
func TestMissingPublication(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.start(t, 0, 2).stop(t)
	r.db.Exec(t, fmt.Sprintf(`DROP PUBLICATION %q`, r.name(1, 2)))
	r.launch(t, 1, 2).mustEnd(t, exitConfig, r.name(1, 2), `% 2 = 1) WITH (publish = 'insert')`)
	p := r.start(t, 0, 2) // which is not concerned
	p.turnsRed(t, r.name(1, 2))
}

// TestOldServer: what cannot filter rows is refused by name.
func TestOldServer(t *testing.T) {
	t.Parallel()
	if pgtest.Shared(t).Major() >= 15 {
		t.Skip("this server has row filters")
	}
	r := anyRig(t, outboxTable)
	r.launch(t, 0, 2).mustEnd(t, exitConfig, "shard.count", "which came with 15")
	r.launch(t, 0, 2, "-check").mustEnd(t, exitConfig, "shard.count", "which came with 15")
}
