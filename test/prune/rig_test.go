package prune_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

const (
	prunerPackage = "github.com/outbox-relay/outbox-relay/cmd/outbox-pruner"
	manual        = "../../docs/pruner.md"
	long          = time.Minute // for anything that takes a second on an idle machine
)

// rig is a database of a server of its own, because roles belong to the server, and a broker inside of the test.
type rig struct {
	t         *testing.T
	db        *pgtest.DB
	conn      *pgx.Conn
	bootstrap string
	cluster   *kfake.Cluster
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, db: pgtest.CreateDB(t, pgtest.New(t, pgserver.Config{}))}
	r.bootstrap, r.cluster = kfaketest.New(t, 1, []string{"outbox.event.order"})
	r.conn = r.db.Connect(t)
	r.exec(`CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), aggregatetype varchar(255) NOT NULL DEFAULT 'order', aggregateid varchar(255) NOT NULL DEFAULT '1',
		type varchar(255) NOT NULL DEFAULT 'Changed', payload jsonb DEFAULT '{}', created_at timestamptz NOT NULL DEFAULT clock_timestamp())`)
	r.exec(`CREATE PUBLICATION outbox_relay FOR TABLE outbox WITH (publish = 'insert')`)
	r.exec(block(t, "CREATE ROLE outbox_pruner"))
	return r
}

// block is the SQL of the manual that has some words in it.
func block(t *testing.T, words string) string {
	t.Helper()
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "```sql\n")[1:] {
		if sql, _, _ := strings.Cut(part, "```"); strings.Contains(sql, words) {
			return sql
		}
	}
	t.Fatalf("%s has no SQL with %q", manual, words)
	return ""
}

func (r *rig) ctx() context.Context {
	ctx, cancel := context.WithTimeout(r.t.Context(), long)
	r.t.Cleanup(cancel)
	return ctx
}

func (r *rig) exec(sql string) {
	r.t.Helper()
	if _, err := r.conn.Exec(r.ctx(), sql); err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
}

func (r *rig) count(sql string) (n int) {
	r.t.Helper()
	if err := r.conn.QueryRow(r.ctx(), sql).Scan(&n); err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// relay starts the real relay and waits until it streams.
func (r *rig) relay() *procs.Proc {
	r.t.Helper()
	p := proctest.Start(r.t, []string{"-database.url", r.db.DSN, "-slot.create", "-bootstrap.servers", r.bootstrap, "-web.listen-address", "127.0.0.1:0"}, nil)
	if _, err := p.WaitLog(r.ctx(), 0, procs.Field("message", "streaming")); err != nil {
		r.t.Fatal(err)
	}
	return p
}

// pruner starts the pruner as the role that the manual makes.
func (r *rig) pruner(args ...string) *procs.Proc {
	r.t.Helper()
	dsn := strings.Replace(r.db.DSN, "postgres@", "outbox_pruner@", 1)
	return proctest.StartProgram(r.t, procs.Config{Path: proctest.Build(r.t, prunerPackage), Args: append([]string{
		"-database.url", dsn, "-table.field.event.timestamp", "created_at", "-retention", "0s", "-pause", "1ms", "-web.listen-address", "127.0.0.1:0",
	}, args...)})
}

// once makes one pass and returns its exit code.
func (r *rig) once(args ...string) int {
	r.t.Helper()
	p := r.pruner(append(args, "-once")...)
	code, err := p.Wait(r.ctx())
	if err != nil {
		r.t.Fatal(err)
	}
	if code != 0 {
		r.t.Logf("the pruner ended with %d:\n%s", code, p.Tail(5))
	}
	return code
}

// published is how many events the broker has.
func (r *rig) published() int64 {
	info := r.cluster.PartitionInfo("outbox.event.order", 0)
	if info == nil {
		return 0
	}
	return info.HighWatermark
}
