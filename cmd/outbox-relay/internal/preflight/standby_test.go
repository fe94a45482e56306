package preflight_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/preflight"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// Somebody has confirmed through the slot what the server has not written yet: every
// event up to there would be skipped.
func TestSlotAhead(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	slot := r.config.Replication.Slot
	r.db.Exec(t, "SELECT pg_create_logical_replication_slot('"+slot+"', 'pgoutput')")
	conn, err := pgx.Connect(t.Context(), r.db.DSN+"&replication=database")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.PgConn().Conn().Close()
	if err := pglogrepl.StartReplication(t.Context(), conn.PgConn(), slot, 0, pglogrepl.StartReplicationOptions{PluginArgs: []string{"proto_version '1'", "publication_names 'outbox_relay'"}}); err != nil {
		t.Fatal(err)
	}
	far := pglogrepl.LSN(0xF00000000)
	if err := pglogrepl.SendStandbyStatusUpdate(t.Context(), conn.PgConn(), pglogrepl.StandbyStatusUpdate{WALWritePosition: far, WALFlushPosition: far, WALApplyPosition: far}); err != nil {
		t.Fatal(err)
	}
	r.judgeSoon(t, "postgresql.slot", func(f preflight.Finding) bool {
		return f.Code == 3 && strings.Contains(f.Message, "is confirmed to F/0, but the server's WAL ends at") && strings.HasPrefix(f.Repair, "SELECT pg_drop_replication_slot(")
	})
}

// A standby without the slot is met where the connection string names several
// hosts: the primary may be among them, so that trying again may help.
func TestStandby(t *testing.T) {
	t.Parallel()
	r := newRig(t, pgtest.New(t, pgserver.Config{}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := r.db.Server.Stop(ctx, pgserver.Fast); err != nil {
		t.Fatal(err)
	}
	standby, err := r.db.Server.Copy(ctx, pgserver.Config{Files: map[string][]byte{"standby.signal": nil}}, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.Close(); err != nil {
			t.Error(err)
		}
	})
	r.config.Replication.Connect = func() (*pgx.ConnConfig, error) {
		return pgx.ParseConfig(strings.Replace(standby.DSN(r.db.Name), "postgres@", r.role+"@", 1))
	}
	report := r.run(t)
	got := worst(t, report, "postgresql.standby")
	if got.Level != preflight.Error || got.Code != 1 || !strings.Contains(got.Message, "target_session_attrs=read-write") || report.ExitCode() != 1 {
		t.Errorf("got %+v of\n%s", got, text(t, report))
	}
}
