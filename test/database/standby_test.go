package database_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// standbyOf makes a standby that follows the server and is up to date.
func standbyOf(t testing.TB, server *pgserver.Server, settings map[string]string) *pgserver.Server {
	t.Helper()
	config := pgserver.Config{Files: map[string][]byte{"standby.signal": nil}, Settings: map[string]string{
		"primary_conninfo": fmt.Sprintf("host=127.0.0.1 port=%d user=postgres dbname=postgres application_name=standby", server.Port()),
	}}
	for name, value := range settings {
		config.Settings[name] = value
	}
	standby := copyOf(t, server, config, false)
	awaitCaughtUp(t, server, standby)
	return standby
}

// awaitCaughtUp waits until the standby has replayed what the server has written.
func awaitCaughtUp(t testing.TB, server, standby *pgserver.Server) {
	t.Helper()
	end := scalar[string](t, server.DSN("postgres"), `SELECT pg_current_wal_lsn()::text`)
	awaitTrue(t, standby.DSN("postgres"), "the standby has caught up", `SELECT coalesce(pg_last_wal_replay_lsn() >= '`+end+`', false)`)
}

// promote kills the server and makes the standby the primary.
func promote(t testing.TB, server, standby *pgserver.Server) {
	t.Helper()
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	execAt(t, standby.DSN("postgres"), `SELECT pg_promote()`)
	awaitTrue(t, standby.DSN("postgres"), "the standby is promoted", `SELECT NOT pg_is_in_recovery()`)
}

// TestStandbyIsNoPrimary lets a relay meet a standby first: its slot is on the primary, and not lost.
func TestStandbyIsNoPrimary(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{})
	r := newRigOn(t, server, outboxTable)
	r.stream(t).stop(t)
	standby := standbyOf(t, server, nil)
	r.dsn = hosts(standby, server, r.db.Name)
	p := r.launch(t)
	p.awaitRetry(t, "standby", "target_session_attrs=read-write")
	p.stop(t)
	r.launch(t, "-check").mustEnd(t, 1, "target_session_attrs=read-write")
	r.dsn += "&target_session_attrs=read-write"
	p = r.stream(t)
	r.insert(t, "r1")
	r.records(t, "r1")
	p.stop(t)
}

// awaitRetry waits until the relay has told that it tries again, for a reason and with a word.
func (p *relay) awaitRetry(t testing.TB, reason, word string) {
	t.Helper()
	line := p.await(t, 0, "replication session lost, connecting again")
	if !strings.Contains(line.Text, `"reason":"`+reason+`"`) || !strings.Contains(line.Text, word) {
		t.Errorf("not reason %s and %q in %s", reason, word, line.Text)
	}
}

// TestPromotedStandbyWithoutTheSlot is a failover before PostgreSQL 17, or without failover slots: what was committed
// and not relayed cannot be known, so the relay must stop and not make a slot.
func TestPromotedStandbyWithoutTheSlot(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{})
	r := newRigOn(t, server, outboxTable)
	r.stream(t).stop(t)
	standby := standbyOf(t, server, nil)
	r.dsn = hosts(server, standby, r.db.Name)
	p := r.stream(t, "-slot.create")
	r.insert(t, "r1")
	r.records(t, "r1")
	awaitCaughtUp(t, server, standby)
	promote(t, server, standby)
	p.mustEnd(t, exitHuman, "does not exist", "failover")
	r.launch(t).mustEnd(t, exitHuman, "does not exist", "failover")
	dsn := standby.DSN(r.db.Name)
	if n := scalar[int](t, dsn, `SELECT count(*) FROM pg_replication_slots`); n != 0 {
		t.Fatalf("%d slots were made on the new primary", n)
	}
	insertAt(t, dsn, "r2")
	p = r.stream(t, "-snapshot.mode", "when_needed")
	insertAt(t, dsn, "r3")
	r.records(t, "r1", "r2", "r3")
	p.stop(t)
}

// TestFailoverSlot is a failover with a slot that the standby has a copy of: nothing is lost, and the copy is not taken
// for a slot that can be read before.
func TestFailoverSlot(t *testing.T) {
	t.Parallel()
	if pgtest.Shared(t).Major() < 17 {
		t.Skip("failover slots came with PostgreSQL 17")
	}
	server := pgtest.New(t, pgserver.Config{})
	r := newRigOn(t, server, outboxTable)
	r.stream(t, "-slot.failover").stop(t)
	execAt(t, server.DSN("postgres"), `SELECT pg_create_physical_replication_slot('standby', true)`)
	standby := standbyOf(t, server, map[string]string{"primary_slot_name": "standby", "hot_standby_feedback": "on", "sync_replication_slots": "on"})
	execAt(t, server.DSN("postgres"), `ALTER SYSTEM SET synchronized_standby_slots = 'standby'`, `SELECT pg_reload_conf()`)
	r.dsn = hosts(server, standby, r.db.Name)
	p := r.stream(t, "-slot.failover")
	p.awaitReady(t)
	stop(t, standby)
	r.insert(t, "r1") // held back until the standby has it
	if reason := p.awaitRed(t); !strings.Contains(reason, "synchronized_standby_slots") {
		t.Errorf("not ready, and why: %s", reason)
	}
	start(t, standby)
	r.records(t, "r1")
	r.awaitConfirmed(t)
	p.awaitReady(t)
	awaitSynced(t, server, standby, r.db.Name)

	reversed := hosts(standby, server, r.db.Name)
	meets := &rig{db: r.db, dsn: reversed, bootstrap: r.bootstrap}
	spare := meets.launch(t, "-slot.failover")
	spare.awaitRetry(t, "standby", "target_session_attrs=read-write")
	spare.stop(t)

	r.insert(t, "r2")
	r.records(t, "r2")
	awaitCaughtUp(t, server, standby)
	mark := p.Mark()
	promote(t, server, standby)
	p.await(t, mark, historyMessage)
	insertAt(t, standby.DSN(r.db.Name), "r3")
	if got := strings.Join(firstAppearances(ids(r.records(t, "r3"))), " "); got != "r1 r2 r3" {
		t.Errorf("first appearances %s, want r1 r2 r3", got)
	}
	p.stop(t)
}

// awaitSynced waits until the standby's copy of the slot would outlive a promotion. It needs some activity on the primary.
func awaitSynced(t testing.TB, server, standby *pgserver.Server, slot string) {
	t.Helper()
	wait.Until(t, patience, "the standby has a copy of the slot", func(ctx context.Context) error {
		execAt(t, server.DSN("postgres"), `SELECT pg_log_standby_snapshot()`)
		var synced bool
		err := queryAt(ctx, standby.DSN("postgres"), `SELECT synced AND NOT temporary AND invalidation_reason IS NULL FROM pg_replication_slots WHERE slot_name = '`+slot+`'`, &synced)
		if err == nil && !synced {
			err = errors.New("not for good yet")
		}
		return err
	})
}
