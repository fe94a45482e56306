package database_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// historyMessage is what the relay logs when it meets another history than it has read.
const historyMessage = "the server has another history than before; starting where its slot says"

// hosts is a connection string with both servers, of which the relay takes the first that it can connect to.
func hosts(first, second *pgserver.Server, database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d,127.0.0.1:%d/%s?sslmode=disable", first.Port(), second.Port(), database)
}

// copyOf stops a server, copies it and starts it again. The copy is stopped.
func copyOf(t testing.TB, server *pgserver.Server, config pgserver.Config, slots bool) *pgserver.Server {
	t.Helper()
	stop(t, server)
	c, err := server.Copy(wait.Context(t, patience), config, slots)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("end of the copy's log:\n%s", c.LogTail(30))
		}
		if err := c.Close(); err != nil {
			t.Errorf("close the copy: %v", err)
		}
	})
	start(t, server)
	return c
}

func stop(t testing.TB, server *pgserver.Server) {
	t.Helper()
	if err := server.Stop(wait.Context(t, patience), pgserver.Fast); err != nil {
		t.Fatal(err)
	}
}

func start(t testing.TB, server *pgserver.Server) {
	t.Helper()
	if err := server.Start(wait.Context(t, patience)); err != nil {
		t.Fatal(err)
	}
}

// fillWAL makes sure that the server's positions are far above those of another.
func fillWAL(t testing.TB, dsn string) {
	t.Helper()
	for range 4 {
		execAt(t, dsn, `CREATE TABLE IF NOT EXISTS filler (n int)`, `INSERT INTO filler VALUES (1)`, `SELECT pg_switch_wal()`)
	}
}

// TestRestoredSnapshot puts a copy of the server's disk, from an hour ago as it were, in the server's place under a relay
// that runs. Its system identifier and timeline are the same, and its WAL ends before what the relay has confirmed: to
// go on at that position would skip everything until the copy gets there.
func TestRestoredSnapshot(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{})
	r := newRigOn(t, server, outboxTable)
	r.stream(t).stop(t)
	r.insert(t, "r1") // in the copy, and not confirmed in it
	restored := copyOf(t, server, pgserver.Config{}, true)
	stop(t, restored)
	r.dsn = hosts(server, restored, r.db.Name)
	p := r.stream(t)
	fillWAL(t, r.db.DSN)
	r.insert(t, "r2") // lost with the server
	r.records(t, "r2")
	r.awaitConfirmed(t)

	mark := p.Mark()
	stop(t, server)
	start(t, restored)
	p.await(t, mark, historyMessage)
	insertAt(t, restored.DSN(r.db.Name), "r3")
	if got := strings.Join(ids(r.records(t, "r3")), " "); got != "r1 r2 r1 r3" {
		t.Errorf("records %s, want r1 r2, and r1 r3 of the copy", got)
	}
	p.stop(t)
}

// TestOtherServer puts another server, of another system identifier, in the server's place: somebody has restored a
// dump. Its slot counts, and the positions of the old server mean nothing.
func TestOtherServer(t *testing.T) {
	t.Parallel()
	server, other := pgtest.New(t, pgserver.Config{}), pgtest.New(t, pgserver.Config{})
	r := newRigOn(t, server, outboxTable)
	if err := other.CreateDatabase(wait.Context(t, patience), r.db.Name); err != nil {
		t.Fatal(err)
	}
	dsn := other.DSN(r.db.Name)
	execAt(t, dsn, outboxTable, `CREATE PUBLICATION outbox_relay FOR TABLE outbox`, `SELECT pg_create_logical_replication_slot(current_database(), 'pgoutput')`)
	insertAt(t, dsn, "o1")
	r.dsn = hosts(server, other, r.db.Name)
	p := r.stream(t)
	fillWAL(t, r.db.DSN)
	r.insert(t, "r1")
	r.records(t, "r1")
	r.awaitConfirmed(t)
	mark := p.Mark()
	stop(t, server)
	p.await(t, mark, historyMessage)
	insertAt(t, dsn, "o2")
	if got := strings.Join(ids(r.records(t, "o2")), " "); got != "r1 o1 o2" {
		t.Errorf("records %s, want r1 o1 o2", got)
	}
	p.stop(t)
}
