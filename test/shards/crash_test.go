package shards_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/load"
)

// TestKilledShard kills the relay of one shard with SIGKILL. The others must go on without it, with nothing twice, and
// after its restart nothing is missing.
func TestKilledShard(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if err := load.CreateTable(wait.Context(t, patience), r.db.DSN, ""); err != nil {
		t.Fatal(err)
	}
	const count, victim = 3, 1
	all := r.startAll(t, count)
	w := r.write(t)
	w.more(t, 500)
	if err := all[victim].Kill(); err != nil {
		t.Fatal(err)
	}
	w.more(t, 500)
	before := r.idsOf(t, fmt.Sprintf("(coalesce(hashtext(aggregateid), 0) & 2147483647) %% %d <> %d", count, victim))
	if err := r.consumer.WaitFor(wait.Context(t, patience), before); err != nil {
		t.Fatalf("with one shard down, the others do not go on: %v", err)
	}
	all[victim] = r.start(t, victim, count)
	w.more(t, 200)
	report := w.finish(t, r)
	others := map[string]bool{}
	for _, row := range r.idsOf(t, fmt.Sprintf("(coalesce(hashtext(aggregateid), 0) & 2147483647) %% %d <> %d", count, victim)) {
		others[row.ID] = true
	}
	for _, repeat := range report.Repeated {
		if others[repeat.ID] {
			t.Errorf("event %s of a shard that was not killed arrived %d times", repeat.ID, repeat.Times)
		}
	}
	for _, p := range all {
		p.stop(t)
	}
}

// idsOf are the rows of the outbox for which a condition holds.
func (r *rig) idsOf(t testing.TB, condition string) []judge.Committed {
	t.Helper()
	rows, err := r.db.Connect(t).Query(wait.Context(t, patience), `SELECT id::text FROM outbox WHERE `+condition)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c judge.Committed, err error) { return c, row.Scan(&c.ID) })
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("no row of the outbox is %s", condition)
	}
	return found
}
