package prune_test

import (
	"fmt"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
	"github.com/outbox-relay/outbox-relay/replication"
)

// shardFilter is the row filter of a shard, for a column of type bigint.
func shardFilter(column string, index, count int) string {
	return fmt.Sprintf("((coalesce(hashint8(%s), 0) & 2147483647) %% %d = %d)", column, count, index)
}

// sharded makes publications pub_0 to pub_N-1 with these filters and as many slots, and returns the change by which the pruner uses
// them, and the slots.
func (r *rig) sharded(filters ...string) (named func(*prune.Config), slots []string) {
	r.t.Helper()
	var all []prune.Slot
	for i, filter := range filters {
		publication, slot := fmt.Sprint("pub_", i), fmt.Sprintf("%s_%d", r.slot, i)
		r.exec(fmt.Sprintf(`CREATE PUBLICATION %s FOR TABLE outbox WHERE %s WITH (publish = 'insert', publish_via_partition_root = true)`, publication, filter))
		r.createSlot(slot)
		all, slots = append(all, prune.Slot{Name: slot, Publication: publication}), append(slots, slot)
	}
	return func(c *prune.Config) { c.Slots = all }, slots
}

// passWith makes a pass while the readers of these slots follow it.
func (r *rig) passWith(slots []string, change ...func(*prune.Config)) error {
	r.t.Helper()
	stop := r.follow(slots...)
	defer stop()
	return r.pass(change...)
}

// A row goes when the slot of its own shard has confirmed it, and those of the others too.
func TestShardedRowsGo(t *testing.T) {
	t.Parallel()
	for _, ddl := range []string{tableDDL, `CREATE TABLE outbox (id bigint PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT clock_timestamp(), payload text) PARTITION BY RANGE (id); CREATE TABLE outbox_1 PARTITION OF outbox DEFAULT`} {
		r := newRig(t, ddl)
		named, slots := r.sharded(shardFilter("id", 0, 3), shardFilter("id", 1, 3), shardFilter("id", 2, 3))
		if err := r.passWith(slots, named); err != nil {
			t.Fatal(err)
		}
		r.insert(1, 2, 3, 4, 5, 6, 7, 8)
		for behind := range slots {
			var others []string
			for i, slot := range slots {
				if i != behind {
					others = append(others, slot)
				}
			}
			r.refused(r.passWith(others, named, impatient), replication.Transient, slots[behind])
			r.want("1 2 3 4 5 6 7 8")
		}
		if err := r.passWith(slots, named); err != nil {
			t.Fatal(err)
		}
		r.want("")
	}
}

// Publications that do not have every row together prove nothing, whatever their slots have confirmed.
func TestShardsThatProveNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		filters []string
		want    string
	}{
		{"one of two", []string{shardFilter("id", 0, 2)}, "shard 1"},
		{"two of three", []string{shardFilter("id", 0, 3), shardFilter("id", 2, 3)}, "shard 1"},
		{"the same twice", []string{shardFilter("id", 0, 2), shardFilter("id", 0, 2)}, "shard 1"},
		{"different numbers", []string{shardFilter("id", 0, 2), shardFilter("id", 1, 3)}, "shard"},
		{"different columns", []string{shardFilter("id", 0, 2), shardFilter("other", 1, 2)}, "shard"},
		{"NULL in none", []string{shardFilter("id", 0, 2), "((hashint8(id) & 2147483647) % 2 = 1)"}, "hides rows"},
		{"less than a shard", []string{shardFilter("id", 0, 2), "(" + shardFilter("id", 1, 2) + " AND id > 5)"}, "hides rows"},
		{"a shard and its opposite", []string{shardFilter("id", 0, 2), "(NOT " + shardFilter("id", 0, 2) + ")"}, "hides rows"},
		{"an index that is none", []string{shardFilter("id", 0, 2), shardFilter("id", 1, 2), shardFilter("id", 2, 2)}, "hides rows"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, `CREATE TABLE outbox (id bigint PRIMARY KEY, other bigint, payload text)`)
			named, slots := r.sharded(tt.filters...)
			r.insert(1, 2, 3)
			r.refused(r.passWith(slots, named), replication.Configuration, tt.want)
			r.want("1 2 3")
		})
	}
}

// A filter that changes for a while makes another proof necessary, though it is back before the next pass.
func TestShardFilterIsChangedForAWhile(t *testing.T) {
	t.Parallel()
	r := newRig(t, tableDDL)
	named, slots := r.sharded(shardFilter("id", 0, 2), shardFilter("id", 1, 2))
	if err := r.passWith(slots, named); err != nil {
		t.Fatal(err)
	}
	r.exec(`ALTER PUBLICATION pub_1 SET TABLE outbox WHERE (id < 0)`)
	r.insert(1, 2, 3, 4)
	r.exec(`ALTER PUBLICATION pub_1 SET TABLE outbox WHERE ` + shardFilter("id", 1, 2))
	if err := r.passWith(slots, named); err != nil {
		t.Fatal(err)
	}
	r.want("1 2 3 4")
}
