package deploy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// prometheus is a real one that scrapes a relay.
type prometheus struct {
	*procs.Proc
	addr string
}

// startPrometheus runs it with the configuration of the compose file, but for the interval and the targets' addresses.
func startPrometheus(t *testing.T, targets ...string) *prometheus {
	t.Helper()
	var config map[string]any
	if err := yaml.Unmarshal([]byte(read(t, "deploy/compose/prometheus.yml")), &config); err != nil {
		t.Fatal(err)
	}
	config["global"] = map[string]string{"scrape_interval": "500ms", "evaluation_interval": "500ms"}
	alerts, err := filepath.Abs(filepath.Join(root, alertsFile))
	if err != nil {
		t.Fatal(err)
	}
	config["rule_files"] = []string{alerts}
	text, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte(strings.NewReplacer(targets...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &prometheus{addr: freeAddress(t)}
	p.Proc = proctest.StartProgram(t, procs.Config{
		Path: prometheusTool(t, "prometheus"),
		Args: []string{"--config.file=" + file, "--storage.tsdb.path=" + filepath.Join(dir, "data"), "--web.listen-address=" + p.addr, "--log.level=warn"},
	})
	if _, err := procs.WaitStatus(wait.Context(t, time.Minute), p.addr, "/-/ready", 200); err != nil {
		t.Fatal(err)
	}
	return p
}

// ask evaluates an expression now and returns how many series come out.
func (p *prometheus) ask(ctx context.Context, expr string) (int, error) {
	status, body, err := procs.Get(ctx, p.addr, "/api/v1/query?query="+url.QueryEscape(expr))
	if err != nil {
		return 0, err
	}
	var answer struct {
		Error string
		Data  struct{ Result []any }
	}
	if err := json.Unmarshal(body, &answer); err != nil || status != 200 {
		return 0, fmt.Errorf("status %d: %s (%w)", status, answer.Error, err)
	}
	return len(answer.Data.Result), nil
}

// until waits for an expression to have a result.
func (p *prometheus) until(t *testing.T, expr string) {
	t.Helper()
	ctx := wait.Context(t, time.Minute)
	for {
		n, err := p.ask(ctx, expr)
		if n > 0 {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s has no result within a minute (%v)", expr, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// TestQueriesAnswer has a real Prometheus scrape a real relay, and puts every query of the dashboard to it. Only what counts a
// trouble that a healthy relay does not have may come out empty.
func TestQueriesAnswer(t *testing.T) {
	t.Parallel()
	prometheusTool(t, "prometheus")
	r := startRelay(t, "deploy_queries")
	r.publish(t)
	r.awaitSample(t)
	p := startPrometheus(t, "relay:9290", r.addr, "pruner:9291", startPruner(t, r))
	p.until(t, `rate(outbox_relay_events_total[1m])`) // two scrapes
	p.until(t, `outbox_relay_slot_safe_wal_bytes`)
	p.until(t, `rate(outbox_pruner_rows_deleted_total[1m])`)
	series := documentedSeries(t)
	for _, q := range dashboardQueries(t) {
		n, err := p.ask(wait.Context(t, 10*time.Second), q.expr)
		if err != nil {
			t.Errorf("%s: %v: %s", q.where, err, q.expr)
		}
		if n == 0 && !mayBeEmpty(series, q.expr) {
			t.Errorf("%s has no result: %s", q.where, q.expr)
		}
	}
	if n, err := p.ask(wait.Context(t, 10*time.Second), `ALERTS{alertstate="firing",alertname!="OutboxRelaySlotCreated"}`); n != 0 || err != nil {
		t.Errorf("%d alerts fire for a healthy relay (%v)", n, err)
	}
	p.until(t, `ALERTS{alertname="OutboxRelaySlotCreated",alertstate="firing"}`) // it has just made its slot
}

// mayBeEmpty: errors that did not happen, and what is asked for with a condition.
func mayBeEmpty(series map[string]documented, expr string) bool {
	for _, name := range ownSeries.FindAllString(expr, -1) {
		if slices.Contains(series[name].labels, "reason") {
			return true
		}
	}
	for _, condition := range []string{">= 0", "changes(", "retrying_since", "proof_breaks", "oldest_row"} {
		if strings.Contains(expr, condition) {
			return true
		}
	}
	return false
}
