package prune_test

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
	"github.com/outbox-relay/outbox-relay/replication"
)

// A reader that holds the table for long costs the writers one wait in a pass, not one for each old partition.
func TestLockedTableIsTriedOnce(t *testing.T) {
	t.Parallel()
	for _, what := range []prune.Partitions{prune.Drop, prune.Detach} {
		t.Run(string(what), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, partitionedDDL)
			r.exec(`DO $$ BEGIN FOR i IN 11..15 LOOP EXECUTE format('CREATE TABLE %I PARTITION OF outbox FOR VALUES FROM (%L) TO (%L)', 'outbox_' || to_char(current_date - i, 'YYYYMMDD'), current_date - i, current_date - i + 1); END LOOP; END $$`)
			r.createSlot(r.slot)
			r.mustPass(r.aged())
			r.insert(1)
			reader := r.db.Connect(t)
			if _, err := reader.Exec(r.ctx(), `BEGIN; SELECT FROM outbox`); err != nil {
				t.Fatal(err)
			}
			reg := prometheus.NewRegistry()
			metrics := prune.NewMetrics(reg)
			change := r.aged(func(c *prune.Config) { c.Partitions, c.LockTimeout, c.Metrics = what, 100*time.Millisecond, metrics })
			stop := r.follow()
			r.refused(r.pass(change), replication.Transient, "6 partitions of public.outbox were left as they are")
			if got := r.partitions(); got != "15 14 13 12 11 10 1 0" {
				t.Errorf("partitions of days ago: %s, want all", got)
			}
			// Each wait is a failure that is counted.
			if got := failures(t, reg, "partition"); got != 1 {
				t.Errorf("%v attempts, want 1\n%s", got, r.log)
			}
			if want := `"partitions":5,`; !contains(r.log.String(), want) {
				t.Errorf("log lacks %s\n%s", want, r.log)
			}
			if _, err := reader.Exec(r.ctx(), `COMMIT`); err != nil {
				t.Fatal(err)
			}
			if err := r.pass(change); err != nil {
				t.Error(err)
			}
			stop()
			if got := r.partitions(); got != "1 0" {
				t.Errorf("partitions of days ago: %s, want 1 0\n%s", got, r.log)
			}
		})
	}
}

// failures is the counter of a reason.
func failures(t *testing.T, reg *prometheus.Registry, reason string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "outbox_pruner_failures_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			if m.GetLabel()[0].GetValue() == reason {
				return m.GetCounter().GetValue()
			}
		}
	}
	return 0
}
