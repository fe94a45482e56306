package metricdoc_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/outbox-relay/outbox-relay/cmd/internal/metricdoc"
)

// registry has one of each kind, most of them without a value.
func registry(t *testing.T) *prometheus.Registry {
	t.Helper()
	reg := prometheus.NewRegistry()
	slotted := prometheus.WrapRegistererWith(prometheus.Labels{"slot": `a "quoted"} one`}, reg)
	slotted.MustRegister(
		prometheus.NewCounterVec(prometheus.CounterOpts{Name: "x_errors_total", Help: `Errors "quoted"|barred.`}, []string{"reason", "kind"}),
		prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "x_state", Help: "State."}, []string{"state"}),
		prometheus.NewHistogram(prometheus.HistogramOpts{Name: "x_seconds", Help: "Time."}),
		prometheus.NewCounter(prometheus.CounterOpts{Name: "y_total", Help: "Other."}),
	)
	return reg
}

func TestList(t *testing.T) {
	t.Parallel()
	got, err := metricdoc.List(registry(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []metricdoc.Series{
		{"x_errors_total", "counter", `Errors "quoted"|barred.`, []string{"kind", "reason", "slot"}},
		{"x_seconds", "histogram", "Time.", []string{"slot"}},
		{"x_state", "gauge", "State.", []string{"slot", "state"}},
		{"y_total", "counter", "Other.", []string{"slot"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestVectorsWithoutAValue are known by what they are registered as.
func TestVectorsWithoutAValue(t *testing.T) {
	t.Parallel()
	reg := metricdoc.Around(prometheus.NewRegistry())
	reg.MustRegister(prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "x_seconds", Help: "X."}, []string{"table"}))
	if err := reg.Register(prometheus.NewSummaryVec(prometheus.SummaryOpts{Name: "y_seconds", Help: "Y."}, []string{"table"})); err != nil {
		t.Fatal(err)
	}
	got, err := metricdoc.List(reg)
	if err != nil {
		t.Fatal(err)
	}
	want := []metricdoc.Series{{"x_seconds", "histogram", "X.", []string{"table"}}, {"y_seconds", "summary", "Y.", []string{"table"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := metricdoc.Print(&b, registry(t), "x_"); err != nil {
		t.Fatal(err)
	}
	const want = "| series | type | labels | meaning |\n|---|---|---|---|\n" +
		"| `x_errors_total` | counter | kind, reason, slot | Errors \"quoted\"\\|barred. |\n" +
		"| `x_seconds` | histogram | slot | Time. |\n" +
		"| `x_state` | gauge | slot, state | State. |\n" +
		"\n| series | type | labels | meaning |\n|---|---|---|---|\n" +
		"| `y_total` | counter | slot | Other. |\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

type broken struct{ prometheus.Collector }

func (b broken) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.NewInvalidMetric(prometheus.NewDesc("z", "Z.", nil, nil), errBroken{})
}

type errBroken struct{}

func (errBroken) Error() string { return "no answer" }

func TestBrokenCollector(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	reg.MustRegister(broken{prometheus.NewCounter(prometheus.CounterOpts{Name: "z_total", Help: "Z."})})
	if err := metricdoc.Print(new(strings.Builder), reg, "z"); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("got %v", err)
	}
}
