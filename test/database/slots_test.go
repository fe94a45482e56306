package database_test

import (
	"context"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// TestUnfitSlots starts a relay on slots of its name that it must not read, and leaves as they are.
func TestUnfitSlots(t *testing.T) {
	t.Parallel()
	const make = `SELECT pg_create_logical_replication_slot(current_database(), 'pgoutput')`
	tests := []struct {
		name, sql, word string
	}{
		{"another plugin", `SELECT pg_create_logical_replication_slot(current_database(), 'test_decoding')`, "test_decoding"},
		{"physical", `SELECT pg_create_physical_replication_slot(current_database())`, "not logical"},
		{"two_phase", `SELECT pg_create_logical_replication_slot(current_database(), 'pgoutput', false, true)`, "two_phase"},
		{"another database", "", "belongs to database"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, outboxTable, `CREATE PUBLICATION outbox_relay FOR TABLE outbox`)
			const look = `SELECT coalesce(string_agg(concat_ws(' ', slot_name, plugin, slot_type, database, restart_lsn, confirmed_flush_lsn), ','), '') FROM pg_replication_slots WHERE slot_name = current_database()`
			args := []string{}
			if test.sql == "" {
				other := pgtest.NewDB(t)
				other.Exec(t, make)
				args = []string{"-slot.name", other.Name, "-slot.create"}
			} else {
				r.db.Exec(t, test.sql)
			}
			before := scalar[string](t, r.db.DSN, look)
			r.launch(t, args...).mustEnd(t, exitConfig, test.word)
			if after := scalar[string](t, r.db.DSN, look); after != before {
				t.Errorf("the slot was %q and is %q", before, after)
			}
			r.dropSlot(t)
		})
	}
}

// TestServerCrashRepeatsNothing crashes the server after a checkpoint, so that its record of what was confirmed goes
// back. A relay that lives through it knows where it was; a new one has only the slot, and repeats what the slot forgot.
func TestServerCrashRepeatsNothing(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{})
	r := newRigOn(t, server, outboxTable)
	p := r.stream(t)
	r.insert(t, "r1")
	r.records(t, "r1")
	r.awaitConfirmed(t)
	r.db.Exec(t, `CHECKPOINT`)
	r.insert(t, "r2", "r3")
	r.records(t, "r3")
	r.awaitConfirmed(t)
	before := scalar[string](t, r.db.DSN, `SELECT confirmed_flush_lsn::text FROM pg_replication_slots`)
	crash(t, server)
	mark := p.Mark()
	if !scalar[bool](t, r.db.DSN, `SELECT pg_current_wal_lsn() >= '`+before+`'`) {
		t.Fatal("the server lost WAL in the crash")
	}
	p.await(t, mark, "streaming")
	r.insert(t, "r4")
	if diff := cmp.Diff([]string{"r1", "r2", "r3", "r4"}, ids(r.records(t, "r4"))); diff != "" {
		t.Errorf("records of a relay that lived through it (-want +got):\n%s", diff)
	}
	r.awaitConfirmed(t)
	p.stop(t)
	crash(t, server)
	p = r.stream(t)
	r.insert(t, "r5")
	got := ids(r.records(t, "r5"))
	if firsts := strings.Join(firstAppearances(got), " "); firsts != "r1 r2 r3 r4 r5" {
		t.Errorf("records of a new relay %v: first appearances %s", got, firsts)
	}
	p.stop(t)
}

func crash(t testing.TB, server *pgserver.Server) {
	t.Helper()
	if err := server.Restart(wait.Context(t, patience), pgserver.Immediate); err != nil {
		t.Fatal(err)
	}
}

func firstAppearances(all []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, id := range all {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// TestSlotAheadOfTheServer confirms a position that does not exist yet, as a server does that was restored without its
// newest WAL. PostgreSQL would send nothing up to there, and the slot would look healthy.
func TestSlotAheadOfTheServer(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.stream(t).stop(t)
	confirm(t, r.db.DSN, r.db.Name, 0xF_0000_0000)
	r.insert(t, "r1")
	r.launch(t).mustEnd(t, exitHuman, "F/0", "the server's WAL ends at", "-slot.create")
	r.launch(t, "-check").mustEnd(t, exitHuman)
	r.dropSlot(t)
	p := r.stream(t, "-snapshot.mode", "when_needed")
	r.insert(t, "r2")
	r.records(t, "r1", "r2")
	p.stop(t)
}

// confirm tells the server a position through its own protocol, which it stores without looking.
func confirm(t testing.TB, dsn, slot string, at pglogrepl.LSN) {
	t.Helper()
	ctx := wait.Context(t, patience)
	conn, err := pgconn.Connect(ctx, dsn+"&replication=database")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	options := pglogrepl.StartReplicationOptions{PluginArgs: []string{"proto_version '1'", `publication_names 'outbox_relay'`}}
	if err := pglogrepl.StartReplication(ctx, conn, slot, 0, options); err != nil {
		t.Fatal(err)
	}
	if err := pglogrepl.SendStandbyStatusUpdate(ctx, conn, pglogrepl.StandbyStatusUpdate{WALWritePosition: at}); err != nil {
		t.Fatal(err)
	}
	awaitTrue(t, dsn, "the slot is there", `SELECT confirmed_flush_lsn >= '`+at.String()+`' FROM pg_replication_slots WHERE slot_name = '`+slot+`'`)
}

// TestSlotMovedByAnother advances the slot behind a relay's back. What it skipped nobody can know; it must say so.
func TestSlotMovedByAnother(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	p := r.stream(t)
	r.insert(t, "r1")
	r.records(t, "r1")
	r.awaitConfirmed(t)
	p.signal(t, syscall.SIGSTOP)
	wait.Until(t, patience, "the walsender has gone", func(ctx context.Context) error {
		var free bool
		return queryAt(ctx, r.db.DSN, `SELECT 1 / (NOT active)::int = 1 FROM pg_replication_slots, pg_terminate_backend(coalesce(active_pid, 0)) WHERE slot_name = current_database()`, &free)
	})
	r.insert(t, "r2")
	r.db.Exec(t, `SELECT pg_replication_slot_advance(current_database(), pg_current_wal_lsn())`)
	mark := p.Mark()
	p.signal(t, syscall.SIGCONT)
	line := p.await(t, mark, "the slot was moved by somebody else; events between the two positions were not relayed by this process")
	if level, _ := procs.LineField(line.Text, "level"); level != "warn" {
		t.Errorf("level %s, want warn", level)
	}
	r.insert(t, "r3")
	if got := strings.Join(ids(r.records(t, "r3")), " "); got != "r1 r3" {
		t.Errorf("records %s, want r1 r3", got)
	}
	p.stop(t)
}

// TestIdleSlotIsLost lets PostgreSQL 18 give up the slot of a relay that is stopped for too long.
func TestIdleSlotIsLost(t *testing.T) {
	t.Parallel()
	if pgtest.Shared(t).Major() < 18 {
		t.Skip("idle_replication_slot_timeout came with PostgreSQL 18")
	}
	r := newRigOn(t, pgtest.New(t, pgserver.Config{Settings: map[string]string{"idle_replication_slot_timeout": "1s"}}), outboxTable)
	r.stream(t).stop(t)
	r.insert(t, "r1")
	wait.Until(t, patience, "the slot is lost", func(ctx context.Context) error {
		execAt(t, r.db.DSN, `CHECKPOINT`)
		var reason string
		return queryAt(ctx, r.db.DSN, `SELECT invalidation_reason FROM pg_replication_slots`, &reason) // NULL does not fit
	})
	r.launch(t).mustEnd(t, exitHuman, "idle_timeout", "-slot.create")
	r.launch(t, "-check").mustEnd(t, exitHuman)
	p := r.stream(t, "-snapshot.mode", "when_needed")
	r.records(t, "r1")
	p.stop(t)
}
