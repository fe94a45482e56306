// Package pgtest gives tests real PostgreSQL servers and databases, and takes care that nothing of them is left. It is
// a thin layer over pgserver.
package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/internal/shared"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
)

const (
	startTimeout   = 2 * time.Minute // enough to fetch binaries once
	cleanupTimeout = 30 * time.Second
)

// one is the server that the tests of this program share.
var one = shared.Server[*pgserver.Server]{
	Name: "PostgreSQL server", Timeout: startTimeout,
	Start: func(ctx context.Context) (*pgserver.Server, error) { return pgserver.Start(ctx, pgserver.Config{}) },
}

// M is what testing.M and goleak.TestingM have in common.
type M = shared.M

// WithShared wraps m so that the shared server is stopped after the tests:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.WithShared(m)) }
func WithShared(m M) M { return one.StopAfter(m) }

// Main runs the tests, stops the shared server and exits. Use it as the whole of TestMain where goleak is not used.
func Main(m *testing.M) { os.Exit(WithShared(m).Run()) }

// Shared returns the server that all tests of this program share; the first call starts it. Tests must not stop or
// pause it: that is what New is for.
func Shared(t testing.TB) *pgserver.Server {
	t.Helper()
	return one.Get(t)
}

// New starts a server for this test alone. It is stopped and removed when the test ends; a failed test gets the end of
// the server's log.
func New(t testing.TB, config pgserver.Config) *pgserver.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	server, err := pgserver.Start(ctx, config)
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("end of PostgreSQL's log:\n%s", server.LogTail(30))
		}
		if err := server.Close(); err != nil {
			t.Errorf("close PostgreSQL: %v", err)
		}
	})
	return server
}

// DB is an empty database of one test.
type DB struct {
	Server *pgserver.Server
	Name   string
	DSN    string // a URL for user postgres
}

// NewDB makes a database on the shared server. When the test ends, sessions on it are ended, its replication slots
// are dropped, and it is dropped.
func NewDB(t testing.TB) *DB {
	t.Helper()
	return CreateDB(t, Shared(t))
}

// CreateDB is NewDB on a server of the test's own.
func CreateDB(t testing.TB, server *pgserver.Server) *DB {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), cleanupTimeout)
	defer cancel()
	name := "test_" + strings.ToLower(rand.Text()[:16])
	if err := server.CreateDatabase(ctx, name); err != nil {
		t.Fatal(err)
	}
	db := &DB{Server: server, Name: name, DSN: server.DSN(name)}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
		defer cancel()
		if err := db.drop(ctx); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	return db
}

// Connect opens a connection to the database that is closed when the test ends.
func (db *DB) Connect(t testing.TB) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), cleanupTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, db.DSN)
	if err != nil {
		t.Fatalf("connect to the test's database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
		defer cancel()
		if err := conn.Close(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Logf("close a connection to the test's database: %v", err) // the test may have ended the session
		}
	})
	return conn
}

// Exec runs statements on a connection of its own and fails the test when one fails.
func (db *DB) Exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), cleanupTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, db.DSN)
	if err != nil {
		t.Fatalf("connect to the test's database: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql, args...); err != nil {
		t.Fatalf("exec %q: %v", sql, err)
	}
}

// drop removes the database with its slots. A server that the test has left stopped takes them along when it is
// closed, so there is nothing to do then.
func (db *DB) drop(ctx context.Context) error {
	if !db.Server.Running() {
		return nil
	}
	if err := db.Server.Resume(); err != nil { // a test that failed may have left it paused
		return err
	}
	conn, err := pgx.Connect(ctx, db.Server.DSN("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	err = poll.Until(ctx, 20*time.Millisecond, func(ctx context.Context) error { return db.dropSlots(ctx, conn) })
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "DROP DATABASE "+pgx.Identifier{db.Name}.Sanitize()+" WITH (FORCE)")
	return err
}

// dropSlots ends the walsenders and drops the slots nobody uses; it errs while there are slots left. A relay that is
// still up may connect again in between, which is why sessions are refused first.
func (db *DB) dropSlots(ctx context.Context, conn *pgx.Conn) error {
	statements := []string{
		"ALTER DATABASE " + pgx.Identifier{db.Name}.Sanitize() + " ALLOW_CONNECTIONS false",
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '` + db.Name + `'`,
		`SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = '` + db.Name + `' AND NOT active`,
	}
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	var left int
	err := conn.QueryRow(ctx, `SELECT count(*) FROM pg_replication_slots WHERE database = $1`, db.Name).Scan(&left)
	if err != nil {
		return err
	}
	if left > 0 {
		return fmt.Errorf("%d replication slots of database %s are still in use", left, db.Name)
	}
	return nil
}
