package deploy_test

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/test/internal/freeport"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// relay is one that runs, with its servers.
type relay struct {
	*procs.Proc
	addr      string // of its endpoint
	slot      string
	db        *pgtest.DB
	bootstrap string
}

// freeAddress is one for a program that must know its port beforehand.
func freeAddress(t testing.TB) string {
	t.Helper()
	ports, err := freeport.Pick(1)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", fmt.Sprint(ports[0]))
}

// relayOptions are what every relay here needs; bootstrap and the database differ.
func relayOptions(db *pgtest.DB, bootstrap, slot, listen string) []string {
	return []string{
		"-database.url=" + db.DSN, "-slot.name=" + slot, "-publication.name=" + slot, "-bootstrap.servers=" + bootstrap,
		"-topic.creation.enable", "-web.listen-address=" + listen, "-log.format=json",
	}
}

// startRelay starts one with an outbox, and waits until it is ready.
func startRelay(t testing.TB, slot string, env ...string) *relay {
	t.Helper()
	r := &relay{db: pgtest.NewDB(t), addr: freeAddress(t), slot: slot}
	r.db.Exec(t, schema.DDL)
	r.bootstrap, _ = kfaketest.New(t, 1, nil)
	r.Proc = proctest.Start(t, relayOptions(r.db, r.bootstrap, slot, r.addr), env)
	r.await(t, "/readyz")
	return r
}

// startPruner starts a pruner of the relay's outbox and returns its address. It has something to delete.
func startPruner(t testing.TB, r *relay) string {
	t.Helper()
	r.db.Exec(t, `CREATE TABLE public.outbox_pruner (name text PRIMARY KEY, state jsonb NOT NULL, updated_at timestamptz NOT NULL DEFAULT now())`)
	addr := freeAddress(t)
	proctest.StartProgram(t, procs.Config{Path: proctest.Build(t, prunerPackage), Args: []string{
		"-database.url=" + r.db.DSN, "-slot.name=" + r.slot, "-publication.name=" + r.slot, "-retention=0s", "-interval=1s", "-web.listen-address=" + addr,
	}})
	if _, err := procs.WaitStatus(wait.Context(t, time.Minute), addr, "/readyz", 200); err != nil {
		t.Fatal(err)
	}
	r.publish(t)
	return addr
}

// await waits until the endpoint answers 200.
func (r *relay) await(t testing.TB, path string) {
	t.Helper()
	if _, err := procs.WaitStatus(wait.Context(t, time.Minute), r.addr, path, 200); err != nil {
		t.Fatal(err)
	}
}

// publish commits an event and waits until it is acknowledged.
func (r *relay) publish(t testing.TB) {
	t.Helper()
	r.db.Exec(t, `INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) VALUES (gen_random_uuid(), 'order', '1', 'Placed', '{}')`)
	ctx := wait.Context(t, time.Minute)
	for {
		if f := r.scrape(t)["outbox_relay_events_total"]; f != nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal("the event was not acknowledged within a minute")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// text is a scrape as Prometheus gets it.
func (r *relay) text(t testing.TB) []byte {
	t.Helper()
	status, body, err := procs.Get(wait.Context(t, 10*time.Second), r.addr, "/metrics")
	if err != nil || status != 200 {
		t.Fatalf("scrape: %d, %v", status, err)
	}
	return body
}

// scrape returns the families by name.
func (r *relay) scrape(t testing.TB) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(r.text(t)))
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// live is a scrape of a relay that has published, shared by the tests that read series.
var live struct {
	sync.Once
	families map[string]*dto.MetricFamily
}

// liveFamilies are the families of a scrape.
func liveFamilies(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	live.Do(func() {
		r := startRelay(t, "deploy_live")
		r.publish(t)
		r.awaitSample(t)
		live.families = r.scrape(t)
	})
	if live.families == nil {
		t.Skip("the relay of another test did not start")
	}
	return live.families
}

// awaitSample waits until the slot was looked up, which takes seconds.
func (r *relay) awaitSample(t testing.TB) {
	t.Helper()
	ctx := wait.Context(t, time.Minute)
	for !strings.Contains(string(r.text(t)), "outbox_relay_slot_safe_wal_bytes") {
		select {
		case <-ctx.Done():
			t.Fatal("the slot was not looked up within a minute")
		case <-time.After(50 * time.Millisecond):
		}
	}
}
