package database_test

import (
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// TestPoolerInTheWay connects the relay to what answers as PgBouncer does.
func TestPoolerInTheWay(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			refuseParameter(conn)
		}
	})
	t.Cleanup(func() {
		listener.Close()
		open.Wait()
	})
	r := &rig{db: &pgtest.DB{Name: "s"}, dsn: "postgres://relay@" + listener.Addr().String() + "/db?sslmode=disable", bootstrap: nowhere}
	r.launch(t).mustEnd(t, exitConfig, "unsupported startup parameter", "connect to the server itself")
}

// refuseParameter answers a startup message with an error.
func refuseParameter(conn net.Conn) {
	defer conn.Close()
	backend := pgproto3.NewBackend(conn, conn)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return
	}
	backend.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "08P01", Message: "unsupported startup parameter: replication"})
	_ = backend.Flush() // the client may have gone
}
