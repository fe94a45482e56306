package prune_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/procs"
)

const insert = `INSERT INTO outbox (aggregateid) SELECT i::text FROM generate_series(1, 500) i`

// TestBesideTheRelay goes through a day of both programs: rows go when the brokers have them, stay while the relay is
// down, go after its restart, and stay for good when the slot was made anew under the pruner's feet.
func TestBesideTheRelay(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	relay := r.relay()
	if code := r.once(); code != 0 {
		t.Fatalf("the first pass ended with %d", code)
	}
	r.exec(insert)
	if code := r.once(); code != 0 || r.count(`SELECT count(*) FROM outbox`) != 0 || r.published() != 500 {
		t.Fatalf("pass ended with %d, %d rows are left, the broker has %d of 500", code, r.count(`SELECT count(*) FROM outbox`), r.published())
	}

	if code, err := relay.Stop(r.ctx()); code != 0 || err != nil {
		t.Fatalf("the relay ended with %d, %v", code, err)
	}
	r.exec(insert)
	if code := r.once("-confirm.timeout", "200ms"); code != 1 || r.count(`SELECT count(*) FROM outbox`) != 500 {
		t.Fatalf("without the relay: pass ended with %d, %d rows are left of 500", code, r.count(`SELECT count(*) FROM outbox`))
	}
	if r.db.Server.Major() < 15 {
		return // without stamps a restart of the relay may cost the proof of what was committed before
	}
	relay = r.relay()
	if code := r.once(); code != 0 || r.count(`SELECT count(*) FROM outbox`) != 0 || r.published() != 1000 {
		t.Fatalf("after the restart: pass ended with %d, %d rows are left, the broker has %d of 1000", code, r.count(`SELECT count(*) FROM outbox`), r.published())
	}

	if code, err := relay.Stop(r.ctx()); code != 0 || err != nil {
		t.Fatalf("the relay ended with %d, %v", code, err)
	}
	r.exec(`SELECT pg_drop_replication_slot('outbox_relay')`)
	r.exec(insert)
	if code := r.once(); code != 3 || r.count(`SELECT count(*) FROM outbox`) != 500 {
		t.Fatalf("without the slot: pass ended with %d, %d rows are left of 500", code, r.count(`SELECT count(*) FROM outbox`))
	}
	r.relay()
	r.exec(insert)
	for range 2 {
		if code := r.once(); code != 0 {
			t.Fatalf("with a new slot: pass ended with %d", code)
		}
	}
	if rows, published := r.count(`SELECT count(*) FROM outbox`), r.published(); rows < 500 || published != 1500 {
		t.Errorf("%d rows are left, of 500 that no slot carried; the broker has %d of 1500", rows, published)
	}
}

func TestDaemon(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.relay()
	p := r.pruner("-interval", "1s")
	line, err := p.WaitLog(r.ctx(), 0, procs.Field("message", "outbox-pruner started"))
	if err != nil {
		t.Fatal(err)
	}
	addr, _ := procs.LineField(line.Text, "listen")
	if _, err := procs.WaitStatus(r.ctx(), addr, "/readyz", 200); err != nil {
		t.Fatal(err)
	}
	r.exec(insert)
	if _, err := p.WaitLog(r.ctx(), 0, procs.All(procs.Field("message", "pruned"), procs.Field("deleted", "500"))); err != nil {
		t.Fatal(err)
	}
	_, metrics, err := procs.Get(r.ctx(), addr, "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`outbox_pruner_rows_deleted_total{table="public.outbox"} 500`, "outbox_pruner_last_success_timestamp_seconds", "outbox_pruner_table_bytes", "outbox_pruner_dead_rows", `outbox_pruner_build_info`} {
		if !strings.Contains(string(metrics), want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if _, status, err := procs.Get(r.ctx(), addr, "/status"); err != nil || !strings.Contains(string(status), `"table": "public.outbox"`) {
		t.Errorf("/status: %v, %s", err, status)
	}
	r.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'outbox-pruner%'`)
	mark := p.Mark()
	r.exec(insert)
	if _, err := p.WaitLog(r.ctx(), mark, procs.All(procs.Field("message", "pruned"), procs.Field("deleted", "500"))); err != nil {
		t.Fatalf("after its connection was ended: %v", err)
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, err := p.Wait(r.ctx()); code != 0 || err != nil {
		t.Errorf("after SIGTERM: exit code %d, %v", code, err)
	}
}

// The other SQL of the manual.
func TestInboxRole(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.exec(`CREATE TABLE inbox (consumer varchar(255) NOT NULL, event_id uuid NOT NULL, processed_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (consumer, event_id));
		INSERT INTO inbox SELECT 'billing', gen_random_uuid(), now() - i * interval '1 day' FROM generate_series(1, 60) i`)
	r.exec(block(t, "CREATE ROLE billing_pruner"))
	dsn := strings.Replace(r.db.DSN, "postgres@", "billing_pruner@", 1)
	if code := r.once("-database.url", dsn, "-inbox.table", "public.inbox", "-inbox.retention", "720h"); code != 0 {
		t.Fatalf("pass ended with %d", code)
	}
	if n := r.count(`SELECT count(*) FROM inbox`); n != 29 {
		t.Errorf("%d rows are left, want 29", n)
	}
}
