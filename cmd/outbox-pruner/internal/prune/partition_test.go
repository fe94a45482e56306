package prune_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
	"github.com/outbox-relay/outbox-relay/replication"
)

// partitionedDDL has yesterday's, today's and the default partition, and one of ten days ago.
const partitionedDDL = `CREATE TABLE outbox (id bigint NOT NULL, created_at timestamptz NOT NULL DEFAULT now(), payload text, PRIMARY KEY (id, created_at)) PARTITION BY RANGE (created_at);
	CREATE TABLE outbox_default PARTITION OF outbox DEFAULT;
	DO $$ DECLARE day date; BEGIN
		FOREACH day IN ARRAY ARRAY[current_date - 10, current_date - 1, current_date] LOOP
			EXECUTE format('CREATE TABLE %I PARTITION OF outbox FOR VALUES FROM (%L) TO (%L)', 'outbox_' || to_char(day, 'YYYYMMDD'), day, day + 1);
		END LOOP;
	END $$`

// aged tells age by the column and lets rows go after two days, whatever the range's start.
func (r *rig) aged(more ...func(*prune.Config)) func(*prune.Config) {
	return func(c *prune.Config) {
		byColumn(c)
		c.Targets[0].Retention = 48 * time.Hour
		for _, f := range more {
			f(c)
		}
	}
}

// backdate lets the pruner take rows for proven whose own time is before its start.
func (r *rig) backdate() {
	r.t.Helper()
	r.exec(`UPDATE outbox_pruner SET state = jsonb_set(state, ARRAY['slots', $1::text, 'ranges', '0', 'since'], '"2001-01-01T00:00:00Z"')`, r.slot)
}

func (r *rig) partitions() string {
	r.t.Helper()
	return one[string](r, `SELECT string_agg(coalesce((current_date - to_date(right(relid::text, 8), 'YYYYMMDD'))::text, '-'), ' ' ORDER BY relid::text) FROM pg_partition_tree('outbox') WHERE isleaf AND relid::text ~ '\d$'`)
}

func TestPartitionsAreDropped(t *testing.T) {
	t.Parallel()
	for _, what := range []prune.Partitions{prune.Drop, prune.Detach, prune.Keep} {
		t.Run(string(what), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, partitionedDDL)
			r.createSlot(r.slot)
			change := r.aged(func(c *prune.Config) { c.Partitions = what })
			r.mustPass(r.aged())
			r.backdate()
			r.exec(`INSERT INTO outbox SELECT i, current_date - 10 + interval '1 hour' FROM generate_series(1, 100) i; INSERT INTO outbox VALUES (201), (202)`)
			r.mustPass(change)
			r.want("201 202")
			old := fmt.Sprintf(`outbox_%s`, one[string](r, `SELECT to_char(current_date - 10, 'YYYYMMDD')`))
			attached := one[bool](r, `SELECT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass($1))`, old)
			there := one[bool](r, `SELECT to_regclass($1) IS NOT NULL`, old)
			if attached != (what == prune.Keep) || there != (what != prune.Drop) {
				t.Errorf("partition attached: %v, there: %v\n%s", attached, there, r.log)
			}
			if what == prune.Detach {
				if n := one[int](r, `SELECT count(*) FROM `+old); n != 100 {
					t.Errorf("%d rows are in the detached partition, want 100", n)
				}
			}
		})
	}
}

func TestPartitionWithUnprovenRowsStays(t *testing.T) {
	t.Parallel()
	r := newRig(t, partitionedDDL)
	r.exec(`INSERT INTO outbox VALUES (1, current_date - 10)`)
	r.createSlot(r.slot)
	drop := r.aged(func(c *prune.Config) { c.Partitions = prune.Drop })
	r.mustPass(drop)
	r.backdate()
	r.exec(`INSERT INTO outbox VALUES (2, current_date - 10)`)
	r.mustPass(drop)
	r.want("1")
	if got := r.partitions(); got != "10 1 0" {
		t.Errorf("partitions of days ago: %s, want 10 1 0", got)
	}
}

// Rows that come with a partition were never sent.
func TestAttachedPartition(t *testing.T) {
	t.Parallel()
	r := newRig(t, partitionedDDL)
	r.createSlot(r.slot)
	r.mustPass(r.aged())
	r.backdate()
	r.exec(`CREATE TABLE stray (LIKE outbox INCLUDING ALL)`)
	r.exec(`INSERT INTO stray VALUES (1, current_date - 20)`)
	r.exec(`ALTER TABLE outbox ATTACH PARTITION stray FOR VALUES FROM (current_date - 20) TO (current_date - 19)`)
	r.exec(`INSERT INTO outbox VALUES (2, current_date - 10)`)
	drop := r.aged(func(c *prune.Config) { c.Partitions = prune.Drop })
	r.mustPass(drop)
	r.want("1")
	r.exec(`INSERT INTO outbox VALUES (3, current_date - 20)`)
	r.mustPass(drop)
	r.mustPass(drop)
	r.want("1")
}

// In one transaction with their table's creation, too.
func TestPartitionAttachedInTheTransactionThatMadeIt(t *testing.T) {
	t.Parallel()
	const insert, subtransaction = `INSERT INTO stray VALUES (1, current_date - 20)`, `SAVEPOINT s; INSERT INTO stray VALUES (1, current_date - 20); RELEASE s`
	for name, tt := range map[string]struct{ insert, after string }{
		"plainly":             {insert, ``},
		"in a subtransaction": {subtransaction, ``},
		// A row of the catalog that was to go has the number of the command that was to take it, not of the one that made it.
		"and all but taken out": {subtransaction, `BEGIN; ALTER TABLE outbox DETACH PARTITION stray; ROLLBACK`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, partitionedDDL)
			r.createSlot(r.slot)
			r.mustPass(r.aged())
			r.backdate()
			r.exec(`BEGIN; CREATE TABLE stray (id bigint NOT NULL, created_at timestamptz NOT NULL, payload text); ` + tt.insert + `;
				ALTER TABLE outbox ATTACH PARTITION stray FOR VALUES FROM ('` + one[string](r, `SELECT (current_date - 20)::text`) + `') TO ('` + one[string](r, `SELECT (current_date - 19)::text`) + `'); COMMIT`)
			r.exec(tt.after)
			r.mustPass(r.aged(func(c *prune.Config) { c.Partitions = prune.Drop }))
			r.want("1")
		})
	}
}

// A partition that was taken out and put back may hold anything.
func TestPartitionTakenOutForAWhile(t *testing.T) {
	t.Parallel()
	r := newRig(t, partitionedDDL)
	r.createSlot(r.slot)
	r.mustPass(r.aged())
	r.backdate()
	old := one[string](r, `SELECT 'outbox_' || to_char(current_date - 10, 'YYYYMMDD')`)
	r.exec(`ALTER TABLE outbox DETACH PARTITION ` + old)
	r.exec(`INSERT INTO ` + old + ` VALUES (1, current_date - 10)`)
	r.exec(`ALTER TABLE outbox ATTACH PARTITION ` + old + ` FOR VALUES FROM (current_date - 10) TO (current_date - 9)`)
	r.mustPass(r.aged())
	r.want("1")
}

func TestPartitionsAhead(t *testing.T) {
	t.Parallel()
	r := newRig(t, partitionedDDL)
	r.createSlot(r.slot)
	ahead := r.aged(func(c *prune.Config) { c.Ahead = 3 })
	r.mustPass(ahead)
	if got := r.partitions(); got != "10 1 0 -1 -2 -3" {
		t.Fatalf("partitions of days ago: %s, want 10 1 0 -1 -2 -3\n%s", got, r.log)
	}
	r.mustPass(ahead)
	if got := r.partitions(); got != "10 1 0 -1 -2 -3" {
		t.Errorf("the second pass made more: %s", got)
	}
	// A partition that the pruner made is no stranger: its rows are proven from its start.
	r.backdate()
	r.exec(`INSERT INTO outbox VALUES (1, current_date + 1)`)
	r.mustPass(r.aged(func(c *prune.Config) { c.Targets[0].Retention = -72 * time.Hour }))
	r.want("")
}

// The application holds the old partition: its lock is not waited for, and the pass goes on.
func TestLockedPartitionIsLeft(t *testing.T) {
	t.Parallel()
	r := newRig(t, partitionedDDL)
	r.createSlot(r.slot)
	r.mustPass(r.aged())
	holder := r.db.Connect(t)
	old := one[string](r, `SELECT 'outbox_' || to_char(current_date - 10, 'YYYYMMDD')`)
	if _, err := holder.Exec(r.ctx(), `BEGIN; LOCK TABLE `+old+` IN ROW EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	drop := r.aged(func(c *prune.Config) { c.Partitions, c.LockTimeout = prune.Drop, 50*time.Millisecond })
	stop := r.follow()
	r.refused(r.pass(drop), replication.Transient, "could not drop a partition")
	stop()
	if got := r.partitions(); got != "10 1 0" {
		t.Errorf("partitions of days ago: %s, want 10 1 0", got)
	}
	if _, err := holder.Exec(r.ctx(), `COMMIT`); err != nil {
		t.Fatal(err)
	}
	r.mustPass(drop)
	if got := r.partitions(); got != "1 0" {
		t.Errorf("partitions of days ago: %s, want 1 0\n%s", got, r.log)
	}
}

func TestPartitionsNeedTheOwnersRights(t *testing.T) {
	t.Parallel()
	r := newRig(t, partitionedDDL)
	r.createSlot(r.slot)
	role := r.role()
	name := "role_" + r.db.Name[5:]
	r.exec(`GRANT EXECUTE ON FUNCTION pg_stat_reset_replication_slot(text) TO ` + name)
	drop := r.aged(role, func(c *prune.Config) { c.Partitions = prune.Drop })
	stop := r.follow()
	r.refused(r.pass(drop), replication.Configuration, `GRANT "postgres" TO`)
	owner := "owner_" + r.db.Name[5:]
	r.exec(`CREATE ROLE ` + owner + `; ALTER TABLE outbox OWNER TO ` + owner + `; GRANT CREATE, USAGE ON SCHEMA public TO ` + owner + `; GRANT ` + owner + ` TO ` + name)
	r.exec(`DO $$ DECLARE leaf regclass; BEGIN FOR leaf IN SELECT relid FROM pg_partition_tree('outbox') LOOP EXECUTE 'ALTER TABLE ' || leaf || ' OWNER TO ` + owner + `'; END LOOP; END $$`)
	if err := r.pass(drop, func(c *prune.Config) { c.Ahead = 1 }); err != nil {
		t.Fatal(err)
	}
	stop()
	if got := r.partitions(); got != "1 0 -1" {
		t.Errorf("partitions of days ago: %s, want 1 0 -1\n%s", got, r.log)
	}
	if got := one[int](r, `SELECT count(*) FROM pg_class WHERE relname ~ '^outbox_\d' AND pg_get_userbyid(relowner) <> $1`, owner); got != 0 {
		t.Errorf("%d partitions do not belong to the table's owner", got)
	}
	r.exec(`DROP TABLE outbox; REVOKE ALL ON SCHEMA public FROM ` + owner + `; DROP ROLE ` + owner)
}

func TestPartitionsByAnotherColumn(t *testing.T) {
	t.Parallel()
	r := newRig(t, `CREATE TABLE outbox (id bigint PRIMARY KEY, created_at timestamptz) PARTITION BY HASH (id); CREATE TABLE outbox_0 PARTITION OF outbox FOR VALUES WITH (MODULUS 1, REMAINDER 0)`)
	r.createSlot(r.slot)
	stop := r.follow()
	defer stop()
	r.refused(r.pass(r.aged(func(c *prune.Config) { c.Partitions = prune.Drop })), replication.Configuration, "not partitioned by ranges")
	if err := r.pass(r.aged()); err != nil {
		t.Fatal(err)
	}
}
