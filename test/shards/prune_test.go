package shards_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// prune makes one pass of the pruner over an outbox that is divided, and demands its exit code.
func (r *rig) prune(t testing.TB, code int, extra ...string) {
	t.Helper()
	p := &relay{Proc: proctest.StartProgram(t, procs.Config{
		Path: proctest.Build(t, "github.com/outbox-relay/outbox-relay/cmd/outbox-pruner"),
		Args: append([]string{"-database.url", r.db.DSN, "-slot.name", r.db.Name, "-publication.name", r.db.Name, "-once", "-retention", "0s", "-log.format", "json"}, extra...),
	})}
	p.mustEnd(t, code)
}

// TestPruneWhatAllShardsHaveRelayed runs relays and pruner together. While one shard's relay is down, no row goes.
func TestPruneWhatAllShardsHaveRelayed(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, `CREATE TABLE outbox_pruner (name text PRIMARY KEY, state jsonb NOT NULL, updated_at timestamptz NOT NULL DEFAULT now())`)
	all := r.startAll(t, 2)
	const shards = "-shard.count=2"
	r.prune(t, 0, shards) // from now on rows are proven
	ids := numbered("r", 40)
	r.insert(t, ids...)
	r.arrive(t, ids...)
	r.prune(t, exitHuman) // a pruner that does not know of shards finds no slot of that name
	r.awaitGone(t, shards)

	all[1].stop(t)
	more := numbered("s", 40)
	r.insert(t, more...)
	r.prune(t, 1, shards, "-confirm.timeout", "1s")
	if n := scalar[int](t, r, `SELECT count(*)::int FROM outbox`); n != len(more) {
		t.Errorf("%d rows are left, want all %d: half of them were not relayed", n, len(more))
	}
	r.start(t, 1, 2)
	r.arrive(t, append(ids, more...)...)
	r.awaitGone(t, shards)
}

// awaitGone makes passes until no row is left: transactions of the server's other databases hold rows back.
func (r *rig) awaitGone(t testing.TB, shards string) {
	t.Helper()
	wait.Until(t, patience, "all rows are pruned", func(ctx context.Context) error {
		r.prune(t, 0, shards)
		var n int
		err := r.query(ctx, `SELECT count(*)::int FROM outbox`, &n)
		if err == nil && n > 0 {
			err = fmt.Errorf("%d rows are left", n)
		}
		return err
	})
}
