package pipeline

import (
	"testing"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

// outbox is the reference table.
func outbox() *schema.Relation {
	rel := &schema.Relation{OID: 5, Namespace: "public", Name: "outbox", ReplicaIdentity: 'd'}
	for i, name := range []string{"id", "aggregatetype", "aggregateid", "type", "payload"} {
		rel.Columns = append(rel.Columns, schema.Column{Name: name, TypeOID: 25, TypeMod: -1, Key: i == 0, Primary: i == 0})
	}
	return rel
}

func row(texts ...string) []schema.Datum {
	values := make([]schema.Datum, len(texts))
	for i, s := range texts {
		values[i] = schema.Datum{Kind: schema.Text, Bytes: []byte(s)}
	}
	return values
}

// newTestHandler is a handler at position 100 that takes any table.
func newTestHandler(t *testing.T, limits Limits) *handler {
	t.Helper()
	route, err := router.New(router.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	all, err := replication.ParseList(".*")
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{cfg: Config{Router: route, Columns: schema.DefaultColumns(), Metrics: NewMetrics(prometheus.NewRegistry(), "s")}}
	r.cfg.Replication.Tables.IncludeTables = all
	h := r.newHandler(newFlow(100, limits, testDelays()), 100)
	h.describe = func(*schema.Relation) error { return nil }
	return h
}

// beating gives the handler heartbeats that are due at each opportunity.
func (h *handler) beating(t *testing.T) {
	t.Helper()
	o := router.DefaultOptions()
	o.TopicPrefix = "srv"
	record, err := router.NewHeartbeat(o, "hb")
	if err != nil {
		t.Fatal(err)
	}
	h.heart = &heart{record: record, interval: time.Nanosecond, beats: prometheus.NewCounter(prometheus.CounterOpts{Name: "x"})}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A heartbeat stands behind what was received before it, and is never sent inside
// a transaction. Empty transactions around it count as before.
func TestBeatKeepsItsPlace(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, Limits{Records: 1 << 20, Bytes: 64 << 20})
	h.beating(t)
	rel := outbox()
	if _, err := h.Relation(rel); err != nil {
		t.Fatal(err)
	}
	transaction := func(commit pglogrepl.LSN, rows int) {
		must(t, h.Begin(replication.Begin{CommitLSN: commit, CommitTime: time.Now()}))
		for range rows {
			must(t, h.Insert(rel, row("1", "a", "k", "T", "{}")), h.Tick())
		}
		must(t, h.Commit(replication.Commit{CommitLSN: commit, EndLSN: commit + 5}))
	}
	must(t, h.Tick())         // heartbeat at 100
	transaction(200, 2)       // and one at 205
	transaction(300, 0)       // and at 305
	must(t, h.Keepalive(400)) // confirms nothing that waits
	must(t, h.Tick())         // and at 400
	h.Flush()
	got := take(h.flow, 10)
	var topics string
	for _, m := range got {
		topics += m.Topic[:1]
	}
	if topics != "hoohhh" {
		t.Fatalf("records of topics %s, want h(eartbeat) o(utbox) o h h h", topics)
	}
	wants := []uint64{100, 100, 205, 305, 400, 400}
	h.flow.Acked(got[:1])
	for i, want := range wants[1:] {
		if c := h.Confirmed(); uint64(c) < wants[0] || uint64(c) > want {
			t.Errorf("confirmed %d after %d records, want at most %d", c, i+1, want)
		}
		h.flow.Acked(got[i+1 : i+2])
	}
	if c := h.Confirmed(); c != 400 {
		t.Errorf("confirmed %d in the end, want 400", c)
	}
	h.finish()
	must(t, h.Tick())
	if n := len(take(h.flow, 10)); n != 0 {
		t.Errorf("%d heartbeats after the end", n)
	}
}

// Without room a heartbeat does not wait: it would hold the reader up.
func TestBeatNeedsRoom(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, Limits{Records: blockRecords, Bytes: 1 << 20})
	h.beating(t)
	for range blockRecords + 10 {
		must(t, h.Tick())
	}
	got := take(h.flow, 2*blockRecords)
	if len(got) != blockRecords {
		t.Fatalf("%d heartbeats wait, want the %d that there is room for", len(got), blockRecords)
	}
	h.flow.Acked(got)
	must(t, h.Tick())
	if n := len(take(h.flow, 10)); n != 1 {
		t.Errorf("%d heartbeats after the room came back, want 1", n)
	}
}

func TestRekeyed(t *testing.T) {
	t.Parallel()
	rel := outbox()
	unchanged := row("", "a", "k", "T", "{}")
	unchanged[0].Kind = schema.Unchanged
	tests := []struct {
		name           string
		before, values []schema.Datum
		full, want     bool
	}{
		{"no old row", nil, row("1", "a", "k", "T", "{}"), false, false},
		{"another key", row("1", "", "", "", ""), row("2", "a", "k", "T", "{}"), false, true},
		{"the same key", row("1", "", "", "", ""), row("1", "a", "k", "T", "{}"), false, false},
		{"a key that was not sent again", row("1", "", "", "", ""), unchanged, false, false},
		{"another payload, old row in full", row("1", "a", "k", "T", "{}"), row("1", "a", "k", "T", "[]"), true, false},
		{"another key, old row in full", row("1", "a", "k", "T", "{}"), row("2", "a", "k", "T", "{}"), true, true},
	}
	for _, tt := range tests {
		if got := rekeyed(rel, tt.before, tt.full, tt.values); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}

// Leaving columns out costs no memory for a row.
func TestExcludingAllocatesNothing(t *testing.T) {
	exclude, err := replication.ParseList(`public\.outbox\.type`)
	if err != nil {
		t.Fatal(err)
	}
	target := newTarget(outbox(), exclude)
	values := row("1", "a", "k", "T", "{}")
	if got := testing.AllocsPerRun(100, func() { target.view(values, &target.row) }); got != 0 {
		t.Errorf("%v allocations a row, want none", got)
	}
	if got := target.view(values, &target.row); len(got) != 4 || string(got[3].Bytes) != "{}" {
		t.Errorf("the router sees %v", got)
	}
}
