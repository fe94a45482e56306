package otlp_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	api "go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/otlp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write testdata anew")

// collector keeps what is posted to it, and answers as it is told.
type collector struct {
	mu      sync.Mutex
	answers []int // codes of the first requests; 200 afterwards
	got     []posted
	fresh   chan struct{}
}

type posted struct {
	path, auth string
	body       string
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	zip, err := gzip.NewReader(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	body, err := io.ReadAll(zip)
	if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, posted{r.URL.Path, r.Header.Get("Authorization"), string(body)})
	if len(c.answers) > 0 {
		w.WriteHeader(c.answers[0])
		c.answers = c.answers[1:]
	}
	select {
	case c.fresh <- struct{}{}:
	default:
	}
}

func start(t *testing.T, answers ...int) (*collector, *otlp.Client) {
	t.Helper()
	c := &collector{answers: answers, fresh: make(chan struct{}, 1)}
	server := httptest.NewServer(c)
	client, err := otlp.NewClient(server.URL+"/", map[string]string{"Authorization": "Bearer s3cret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		server.Close()
	})
	return c, client
}

var (
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	res  = resource.NewSchemaless(attribute.String("service.name", "outbox-relay"))
)

// golden compares a document with a file, which a collector's own parser has read.
func golden(t *testing.T, name, got string) {
	t.Helper()
	var tidy any
	if err := json.Unmarshal([]byte(got), &tidy); err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(tidy, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)+"\n"); diff != "" {
		t.Errorf("%s (run with -update if this is meant):\n%s", path, diff)
	}
}

// stubs are spans as the SDK would hand them over.
func stubs() tracetest.SpanStubs {
	traceID, spanID, parentID := api.TraceID{0x0a, 0xf7, 15: 0x9c}, api.SpanID{0xb7, 7: 0x31}, api.SpanID{0xc0, 7: 0x01}
	state, _ := api.ParseTraceState("congo=t61")
	good := tracetest.SpanStub{
		Name: "send orders", SpanKind: api.SpanKindProducer, StartTime: noon, EndTime: noon.Add(12 * time.Millisecond), Resource: res,
		SpanContext: api.NewSpanContext(api.SpanContextConfig{TraceID: traceID, SpanID: spanID, TraceFlags: api.FlagsSampled, TraceState: state}),
		Parent:      api.NewSpanContext(api.SpanContextConfig{TraceID: traceID, SpanID: parentID, TraceFlags: api.FlagsSampled, Remote: true}),
		Attributes:  []attribute.KeyValue{attribute.String("messaging.system", "kafka"), attribute.Bool("b", true), attribute.Int("n", 1<<40), attribute.Float64("f", 1.5)},
	}
	bad := good
	bad.Parent, bad.Status = api.SpanContext{}, trace.Status{Code: 1, Description: "it was lost"}
	return tracetest.SpanStubs{good, bad}
}

func TestSpansDocument(t *testing.T) {
	t.Parallel()
	c, client := start(t)
	var told []error
	spans := otlp.NewSpans(client, func(err error) { told = append(told, err) })
	if err := spans.ExportSpans(t.Context(), stubs().Snapshots()); err != nil {
		t.Fatal(err)
	}
	if len(c.got) != 1 || c.got[0].path != "/v1/traces" || c.got[0].auth != "Bearer s3cret" || len(told) != 1 || told[0] != nil {
		t.Fatalf("posted %+v, told %v", c.got, told)
	}
	golden(t, "traces.json", c.got[0].body)
}

func TestMetricsDocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // a bubble's clock stands
		reg := prometheus.NewRegistry()
		events := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "outbox_relay_events_total", Help: "Events."}, []string{"topic"})
		delay := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "delay_seconds", Help: "Delay.", Buckets: []float64{0.1, 1}})
		nan := prometheus.NewGauge(prometheus.GaugeOpts{Name: "nan", Help: "Not a number."})
		ready := prometheus.NewGauge(prometheus.GaugeOpts{Name: "ready", Help: "Ready."})
		pause := prometheus.NewSummary(prometheus.SummaryOpts{Name: "pause_seconds", Help: "Pause.", Objectives: map[float64]float64{0.5: 0.1}})
		reg.MustRegister(events, delay, nan, ready, pause)
		events.WithLabelValues("orders").Add(3)
		events.WithLabelValues("payments").Add(1 << 40)
		ready.Set(1)
		nan.Set(math.NaN())
		for _, s := range []float64{0.05, 0.06, 0.5, 7} {
			delay.Observe(s)
			pause.Observe(s)
		}
		m := &otlp.Metrics{Gatherer: reg, Resource: res, Interval: time.Minute, Began: time.Now().Add(-time.Hour)}
		golden(t, "metrics.json", otlp.Document(t, m))
	})
}

// A document is sent again while the collector says so, and dropped in the end; then the next one is sent.
func TestRetries(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		answers []int
		posts   int
		err     string
	}{
		{"busy for a while", []int{429, 503, 504}, 4, ""},
		{"busy for too long", []int{502, 502, 502, 502}, 4, "502 Bad Gateway"},
		{"refused", []int{400}, 1, "400 Bad Request"},
		{"not authorized", []int{401}, 1, "401 Unauthorized"},
	}
	for _, test := range tests {
		c, client := start(t, test.answers...)
		otlp.Hurry(client)
		var told error
		spans := otlp.NewSpans(client, func(err error) { told = err })
		if err := spans.ExportSpans(t.Context(), stubs().Snapshots()); err != nil {
			t.Errorf("%s: the SDK is told %v", test.name, err)
		}
		if len(c.got) != test.posts || (test.err == "") != (told == nil) || told != nil && (!strings.Contains(told.Error(), test.err) || strings.Contains(told.Error(), "s3cret")) {
			t.Errorf("%s: %d posts, told %v", test.name, len(c.got), told)
		}
	}
}

func TestCollectorAway(t *testing.T) {
	t.Parallel()
	client, err := otlp.NewClient("http://127.0.0.1:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	otlp.Hurry(client)
	var told error
	if err := otlp.NewSpans(client, func(err error) { told = err }).ExportSpans(t.Context(), stubs().Snapshots()); err != nil || told == nil {
		t.Errorf("%v, told %v", err, told)
	}
}

// Metrics go out each interval, and a last time at the end.
func TestMetricsRun(t *testing.T) {
	t.Parallel()
	c, client := start(t)
	reg := prometheus.NewRegistry()
	reg.MustRegister(prometheus.NewCounter(prometheus.CounterOpts{Name: "n_total", Help: "N."}))
	m := &otlp.Metrics{Client: client, Gatherer: reg, Resource: res, Interval: 20 * time.Millisecond, Began: noon, Tell: func(err error) {
		if err != nil {
			t.Error(err)
		}
	}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		m.Run(ctx)
		close(done)
	}()
	<-c.fresh
	cancel()
	<-done
	c.mu.Lock()
	defer c.mu.Unlock()
	if last := c.got[len(c.got)-1]; len(c.got) < 2 || last.path != "/v1/metrics" || !strings.Contains(last.body, "n_total") {
		t.Errorf("%d posts, the last %+v", len(c.got), last)
	}
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"", "collector:4318", "grpc://collector:4317", "http://", "http://%zz"} {
		if _, err := otlp.NewClient(endpoint, nil); err == nil {
			t.Errorf("%q is taken", endpoint)
		}
	}
}
