package prune_test

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
	"github.com/outbox-relay/outbox-relay/replication"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

func zone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // the tests' own names
	}
	return z
}

// followAny is follow for tables whose rows have no number as first column.
func (r *rig) followAny() (stop func()) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.ctx())
	conn := r.db.Connect(r.t)
	var done sync.WaitGroup
	done.Go(func() {
		for ctx.Err() == nil {
			if _, err := conn.Exec(r.ctx(), `SELECT count(*) FROM pg_logical_slot_get_binary_changes($1, NULL, NULL, 'proto_version', '1', 'publication_names', 'pub')`, r.slot); err != nil {
				r.t.Errorf("read slot: %v", err)
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

// until waits until a query says true.
func (r *rig) until(sql string, args ...any) {
	r.t.Helper()
	ctx := r.ctx()
	for !one[bool](r, sql, args...) {
		select {
		case <-ctx.Done():
			r.t.Fatalf("never true: %s\n%s", sql, r.log)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// role makes a role that may prune and nothing else, and returns the change by which the pruner is it.
func (r *rig) role() func(*prune.Config) {
	r.t.Helper()
	name := "role_" + r.db.Name[5:]
	r.exec(`CREATE ROLE ` + name + ` LOGIN`)
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the test's own is over
		defer cancel()
		conn, err := pgx.Connect(ctx, r.db.DSN)
		if err != nil {
			r.t.Errorf("drop the role: %v", err)
			return
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, `DROP OWNED BY `+name+`; DROP ROLE `+name); err != nil {
			r.t.Errorf("drop the role: %v", err)
		}
	})
	r.exec(`GRANT SELECT, DELETE, UPDATE (id) ON outbox TO ` + name + `; GRANT SELECT, INSERT, UPDATE ON outbox_pruner TO ` + name)
	return func(c *prune.Config) {
		dial := replication.Config{ApplicationName: "pruner", Connect: func() (*pgx.ConnConfig, error) {
			config, err := pgx.ParseConfig(r.db.DSN)
			if err == nil {
				config.User = name
			}
			return config, err
		}}
		c.Connect = dial.Dial
	}
}

// settle waits until every transaction that is older than now has ended, those of the server's other databases too: rows
// from before it are not told from running ones.
func (r *rig) settle() {
	r.t.Helper()
	fresh := one[string](r, `SELECT pg_current_xact_id()::text`)
	r.until(`SELECT pg_snapshot_xmin(pg_current_snapshot()) > $1::text::xid8`, fresh)
}

// cancellable is a context that the test ends itself.
func (r *rig) cancellable() (context.Context, context.CancelFunc) {
	return context.WithCancel(r.ctx())
}

// splitSQL takes statements apart that are to be transactions of their own.
func splitSQL(statements string) []string { return strings.Split(statements, "; ") }
