package preflight_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/preflight"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// rig is a database that is ready for a relay but for the slot, and a cluster with
// one topic.
type rig struct {
	db     *pgtest.DB
	role   string
	config preflight.Config
	router router.Options
}

// newRig makes a role that may do no more than the README's. The role goes with the
// server.
func newRig(t *testing.T, server *pgserver.Server) *rig {
	t.Helper()
	if server == nil {
		server = pgtest.Shared(t)
	}
	unique := strings.ToLower(rand.Text()[:12])
	r := &rig{db: pgtest.CreateDB(t, server), role: "relay_" + unique, router: router.DefaultOptions()}
	r.db.Exec(t, schema.DDL)
	r.db.Exec(t, "CREATE ROLE "+r.role+" LOGIN REPLICATION")
	r.db.Exec(t, "CREATE PUBLICATION outbox_relay FOR TABLE public.outbox WITH (publish = 'insert')")
	tables, err := replication.ParseList("public.outbox")
	if err != nil {
		t.Fatal(err)
	}
	bootstrap, _ := kfaketest.New(t, 2, []string{"outbox.event.Order"}, kfake.NumBrokers(1))
	r.config = preflight.Config{
		Database:    "test",
		Replication: replication.Config{Slot: "slot_" + unique, Publication: "outbox_relay", Tables: replication.Filter{IncludeTables: tables}, CreateSlot: true, ApplicationName: "outbox-relay@test"},
		Kafka:       kafka.Config{BootstrapServers: []string{bootstrap}, MaxRequestSize: 1 << 20},
	}
	r.config.Replication.Connect = func() (*pgx.ConnConfig, error) {
		return pgx.ParseConfig(strings.Replace(r.db.DSN, "postgres@", r.role+"@", 1))
	}
	return r
}

// run is one check.
func (r *rig) run(t *testing.T) preflight.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	route, err := router.New(r.router)
	if err != nil {
		t.Fatal(err)
	}
	c := r.config
	c.Bind = func(rel *schema.Relation) error { return pipeline.Bind(route, rel, replication.List{}) }
	if c.Targets, err = r.router.Targets(); err != nil {
		t.Fatal(err)
	}
	return preflight.Run(ctx, c)
}

// find returns the findings of one check.
func find(report preflight.Report, check string) []preflight.Finding {
	var out []preflight.Finding
	for _, f := range report {
		if f.Check == check {
			out = append(out, f)
		}
	}
	return out
}

// worst returns the gravest finding of one check.
func worst(t *testing.T, report preflight.Report, check string) preflight.Finding {
	t.Helper()
	rank := map[preflight.Level]int{preflight.OK: 1, preflight.Warning: 2, preflight.Error: 3}
	var w preflight.Finding
	for _, f := range find(report, check) {
		if rank[f.Level] > rank[w.Level] {
			w = f
		}
	}
	if w.Level == "" {
		t.Fatalf("no finding of %s in\n%s", check, text(t, report))
	}
	return w
}

func text(t *testing.T, report preflight.Report) string {
	t.Helper()
	var b strings.Builder
	if err := report.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// state is everything that a check might change by mistake.
func (r *rig) state(t *testing.T) string {
	t.Helper()
	conn := r.db.Connect(t)
	var state string
	err := conn.QueryRow(t.Context(), `SELECT concat_ws(' ', (SELECT jsonb_agg(jsonb_build_array(slot_name, confirmed_flush_lsn, catalog_xmin) ORDER BY slot_name) FROM pg_replication_slots WHERE database = current_database()),
		(SELECT jsonb_agg(to_jsonb(p)) FROM pg_publication p), (SELECT count(*) FROM outbox))`).Scan(&state)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(state)
}
