package database_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// TestSynchronousStandby makes the server count the relay as one: each commit then waits for Kafka.
func TestSynchronousStandby(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{})
	r := newRigOn(t, server, outboxTable)
	p := r.stream(t)
	execAt(t, server.DSN("postgres"), `ALTER SYSTEM SET synchronous_standby_names = '*'`, `SELECT pg_reload_conf()`)
	line := p.await(t, 0, "PostgreSQL counts the relay as a synchronous standby: commits wait for Kafka; name the real standbys in synchronous_standby_names")
	if state, _ := procs.LineField(line.Text, "sync_state"); state != "sync" {
		t.Errorf("sync_state %s, want sync", state)
	}
	execAt(t, server.DSN("postgres"), `ALTER SYSTEM RESET synchronous_standby_names`, `SELECT pg_reload_conf()`)
	r.insert(t, "r1")
	r.records(t, "r1")
	p.stop(t)
}

// TestCatalogXminAge keeps the slot where it is while transactions go on: what vacuum may not remove is exported.
func TestCatalogXminAge(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.bootstrap = nowhere
	p := r.stream(t)
	r.insert(t, "r1")
	r.db.Exec(t, `DO $$ BEGIN FOR i IN 1..1000 LOOP PERFORM txid_current(); COMMIT; END LOOP; END $$`)
	wait.Until(t, patience, "outbox_relay_slot_catalog_xmin_age is 1000 or more", func(ctx context.Context) error {
		_, body, err := procs.Get(ctx, p.addr, "/metrics")
		if err != nil {
			return err
		}
		_, rest, _ := strings.Cut(string(body), "\noutbox_relay_slot_catalog_xmin_age{")
		_, value, _ := strings.Cut(rest, "} ")
		value, _, _ = strings.Cut(value, "\n")
		if age, err := strconv.ParseFloat(value, 64); err != nil || age < 1000 {
			return fmt.Errorf("it is %q", value)
		}
		return nil
	})
}
