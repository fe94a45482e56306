package pgtest_test

import (
	"context"
	"testing"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.WithShared(m)) }

// count runs a query for one number on the maintenance database.
func count(t *testing.T, server *pgserver.Server, sql string, args ...any) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var n int
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNewDBIsEmptyAndOnTheSharedServer(t *testing.T) {
	t.Parallel()
	a, b := pgtest.NewDB(t), pgtest.NewDB(t)
	if a.Name == b.Name {
		t.Fatalf("two databases called %s", a.Name)
	}
	if a.Server != b.Server || a.Server != pgtest.Shared(t) {
		t.Fatal("databases of one program are on different servers")
	}
	a.Exec(t, "CREATE TABLE t (a int)")
	b.Exec(t, "CREATE TABLE t (a int)") // fails if the two are the same
}

func TestDatabaseAndSlotsAreGoneAfterTheTest(t *testing.T) {
	t.Parallel()
	var name string
	outer := t
	t.Run("test with a slot in use", func(t *testing.T) {
		db := pgtest.NewDB(t)
		name = db.Name
		db.Exec(t, "SELECT pg_create_logical_replication_slot($1, 'pgoutput')", "idle_"+name)
		db.Exec(t, "CREATE PUBLICATION p FOR ALL TABLES")
		startReplication(t, outer, db, "busy_"+name)
		const active = `SELECT count(*) FROM pg_replication_slots WHERE database = $1`
		if got := count(t, db.Server, active, name); got != 2 {
			t.Fatalf("%d slots before the end of the test, want 2", got)
		}
	})
	server := pgtest.Shared(t)
	if got := count(t, server, `SELECT count(*) FROM pg_replication_slots WHERE slot_name LIKE '%' || $1`, name); got != 0 {
		t.Errorf("%d slots left after the test", got)
	}
	if got := count(t, server, `SELECT count(*) FROM pg_database WHERE datname = $1`, name); got != 0 {
		t.Errorf("database left after the test")
	}
}

// startReplication creates a slot and streams from it, without reading, until owner is over: longer than t, so that
// the slot is in use when the database of t is dropped.
func startReplication(t, owner *testing.T, db *pgtest.DB, slot string) {
	t.Helper()
	config, err := pgconn.ParseConfig(db.DSN)
	if err != nil {
		t.Fatal(err)
	}
	config.RuntimeParams["replication"] = "database"
	conn, err := pgconn.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	owner.Cleanup(func() { conn.Conn().Close() })
	if _, err := conn.Exec(t.Context(), "CREATE_REPLICATION_SLOT "+slot+" LOGICAL pgoutput").ReadAll(); err != nil {
		t.Fatal(err)
	}
	options := pglogrepl.StartReplicationOptions{PluginArgs: []string{"proto_version '1'", "publication_names 'p'"}}
	if err := pglogrepl.StartReplication(t.Context(), conn, slot, 0, options); err != nil {
		t.Fatal(err)
	}
}

func TestNewServersAreIndependent(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{Settings: map[string]string{"max_replication_slots": "3"}})
	db := pgtest.CreateDB(t, server)
	if server == pgtest.Shared(t) {
		t.Fatal("New returned the shared server")
	}
	var slots string
	if err := db.Connect(t).QueryRow(t.Context(), "SHOW max_replication_slots").Scan(&slots); err != nil {
		t.Fatal(err)
	}
	if slots != "3" {
		t.Fatalf("max_replication_slots is %s, want the 3 of the test's settings", slots)
	}
}
