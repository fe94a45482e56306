package preflight_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/preflight"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

func (r *rig) restart(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := r.db.Server.Restart(ctx, pgserver.Fast); err != nil {
		t.Fatal(err)
	}
}

// TestBrokenServers has a server of its own for each state.
func TestBrokenServers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		broken
		settings map[string]string
	}{
		{broken{check: "postgresql.wal_level", level: preflight.Error, code: 2, message: "it is replica", mends: true}, map[string]string{"wal_level": "replica"}},
		{broken{check: "postgresql.slot", level: preflight.Error, code: 2, message: "1 of 1 replication slots are in use", mends: true,
			sql: "SELECT pg_create_physical_replication_slot('other')"}, map[string]string{"max_replication_slots": "1"}},
		{broken{check: "postgresql.replication", level: preflight.Error, code: 1, message: "max_wal_senders", mends: true}, map[string]string{"max_wal_senders": "0"}},
		{broken{check: "postgresql.synchronous_standby_names", level: preflight.Warning, message: "commits would wait for Kafka",
			sql: "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (a, \"Outbox-Relay@test\")'; SELECT pg_reload_conf()"}, nil},
		{broken{check: "postgresql.max_slot_wal_keep_size", level: preflight.Warning, message: "until the disk is full", mends: true}, map[string]string{"max_slot_wal_keep_size": "-1"}},
	}
	for _, test := range tests {
		t.Run(test.check, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, pgtest.New(t, pgserver.Config{Settings: test.settings}))
			if test.sql != "" {
				r.execEach(t, test.sql)
			}
			r.judge(t, test.broken)
			r.execEach(t, "ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf()") // or dropping the database would wait
		})
	}
}

// execEach runs statements that allow no transaction around them.
func (r *rig) execEach(t *testing.T, sql string) {
	t.Helper()
	conn := r.db.Connect(t)
	for statement := range strings.SplitSeq(sql, "; ") {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("exec %q: %v", statement, err)
		}
	}
}

// TestLostSlot lets the server remove the WAL that a slot needs, which only a
// person can make good.
func TestLostSlot(t *testing.T) {
	t.Parallel()
	r := newRig(t, pgtest.New(t, pgserver.Config{Settings: map[string]string{"max_slot_wal_keep_size": "1MB", "min_wal_size": "32MB", "max_wal_size": "32MB"}}))
	r.execEach(t, "SELECT pg_create_logical_replication_slot('"+r.config.Replication.Slot+"', 'pgoutput'); CREATE TABLE filler (t text)")
	deadline := time.Now().Add(time.Minute)
	for status := ""; status != "lost"; {
		if time.Now().After(deadline) {
			t.Fatalf("the slot is %s", status)
		}
		r.execEach(t, "INSERT INTO filler SELECT repeat('x', 1000) FROM generate_series(1, 20000); SELECT pg_switch_wal(); CHECKPOINT")
		if err := r.db.Connect(t).QueryRow(t.Context(), "SELECT wal_status FROM pg_replication_slots WHERE slot_name = $1", r.config.Replication.Slot).Scan(&status); err != nil {
			t.Fatal(err)
		}
	}
	r.judge(t, broken{check: "postgresql.slot", level: preflight.Error, code: 3, message: "is lost", mends: true})
}

// TestPgHba closes the door and opens it with the line that the check gives.
func TestPgHba(t *testing.T) {
	t.Parallel()
	r := newRig(t, pgtest.New(t, pgserver.Config{}))
	file := filepath.Join(r.db.Server.DataDir(), "pg_hba.conf")
	write := func(line string) {
		t.Helper()
		if err := os.WriteFile(file, []byte("host all postgres all trust\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		r.execEach(t, "SELECT pg_reload_conf()")
	}
	write("")
	got := r.awaitConnection(t, preflight.Error)
	line, found := strings.CutPrefix(got.Repair, "add to pg_hba.conf: ")
	if got.Code != 2 || !found || !strings.Contains(line, r.role) || got.Then != "SELECT pg_reload_conf()" {
		t.Fatalf("got %+v", got)
	}
	write(strings.NewReplacer("hostssl", "host", "CLIENT-ADDRESS", "all", "scram-sha-256", "trust").Replace(line)) // this server has neither TLS nor passwords
	r.awaitConnection(t, preflight.OK)
	if report := r.run(t); report.ExitCode() != 0 {
		t.Error(text(t, report))
	}
}

// awaitConnection waits until the server has read pg_hba.conf again.
func (r *rig) awaitConnection(t *testing.T, level preflight.Level) preflight.Finding {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		got := worst(t, r.run(t), "postgresql.connection")
		if got.Level == level {
			return got
		}
		select {
		case <-deadline:
			t.Fatalf("still %+v", got)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// A server that is not there may come; a wrong password will not become right.
func TestNoConnection(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{Password: "right"})
	for _, test := range []struct {
		name, dsn, message string
		code               int
	}{
		{"refused", "postgres://u@127.0.0.1:1/d", "refused", 1},
		{"wrong password", strings.Replace(server.DSN("postgres"), "right", "geheim", 1), "password authentication failed", 2},
		{"no such database", server.DSN("nothing"), "does not exist", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			r.config.Replication.Connect = func() (*pgx.ConnConfig, error) { return pgx.ParseConfig(test.dsn) }
			report := r.run(t)
			got := worst(t, report, "postgresql.connection")
			if got.Level != preflight.Error || got.Code != test.code || !strings.Contains(got.Message, test.message) {
				t.Errorf("got %+v", got)
			}
			if shown := text(t, report); strings.Contains(shown, "geheim") || strings.Count(shown, "\n") != len(report) {
				t.Errorf("a password, or more than one line each, in\n%s", shown)
			}
			if f := worst(t, report, "kafka.brokers"); f.Level != preflight.OK {
				t.Errorf("Kafka was not looked at: %+v", f)
			}
		})
	}
}

// TestSlotInUse lets somebody read the slot, and looks for it in another database.
func TestSlotInUse(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	slot := r.config.Replication.Slot
	r.db.Exec(t, "SELECT pg_create_logical_replication_slot('"+slot+"', 'pgoutput')")
	conn, err := pgx.Connect(t.Context(), r.db.DSN+"&replication=database&application_name=another")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.PgConn().Conn().Close()
	conn.PgConn().Exec(t.Context(), "START_REPLICATION SLOT "+slot+` LOGICAL 0/0 (proto_version '1', publication_names 'outbox_relay')`) // never ends
	r.judgeSoon(t, "postgresql.slot", func(f preflight.Finding) bool {
		return f.Level == preflight.Warning && strings.Contains(f.Message, "another (pid ")
	})

	other := newRig(t, nil)
	other.config.Replication.Slot = slot
	if got := worst(t, other.run(t), "postgresql.slot"); got.Code != 2 || !strings.Contains(got.Message, "belongs to database") || got.Repair != "-database.dbname "+r.db.Name {
		t.Errorf("got %+v", got)
	}
}

func (r *rig) judgeSoon(t *testing.T, check string, wanted func(preflight.Finding) bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		got := worst(t, r.run(t), check)
		if wanted(got) {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("still %+v", got)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
