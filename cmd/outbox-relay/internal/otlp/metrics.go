package otlp

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/otel/sdk/resource"
)

// Metrics sends what /metrics shows, under the same names.
type Metrics struct {
	Client   *Client
	Gatherer prometheus.Gatherer
	Resource *resource.Resource
	Interval time.Duration // between two documents
	Began    time.Time     // since when the counters count
	Tell     func(error)   // as for NewSpans
}

// lastTimeout bounds the document that is sent at the end.
const lastTimeout = 3 * time.Second

// Run sends a document each interval until ctx is done, and a last one then.
func (m *Metrics) Run(ctx context.Context) {
	ticker := time.NewTicker(m.Interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			m.send(ctx)
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTimeout)
			defer cancel()
			m.send(ctx)
			return
		}
	}
}

func (m *Metrics) send(ctx context.Context) {
	families, err := m.Gatherer.Gather()
	if err != nil && len(families) == 0 {
		m.Tell(err)
		return
	}
	err = m.Client.post(ctx, "/v1/metrics", m.document(families, time.Now()))
	if ctx.Err() == nil || err == nil { // a stop breaks it off, and a last one follows
		m.Tell(err)
	}
}

type metricsJSON struct {
	ResourceMetrics []resourceMetrics `json:"resourceMetrics"`
}

type resourceMetrics struct {
	Resource     resourceJSON   `json:"resource"`
	ScopeMetrics []scopeMetrics `json:"scopeMetrics"`
}

type scopeMetrics struct {
	Scope   scopeJSON    `json:"scope"`
	Metrics []metricJSON `json:"metrics"`
}

// metricJSON holds one of its pointers.
type metricJSON struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Gauge       *pointsJSON `json:"gauge,omitempty"`
	Sum         *pointsJSON `json:"sum,omitempty"`
	Histogram   *pointsJSON `json:"histogram,omitempty"`
	Summary     *pointsJSON `json:"summary,omitempty"`
}

type pointsJSON struct {
	Points      []pointJSON `json:"dataPoints"`
	Temporality int         `json:"aggregationTemporality,omitempty"` // 2 is cumulative
	Monotonic   bool        `json:"isMonotonic,omitempty"`
}

type pointJSON struct {
	Attributes []keyValue     `json:"attributes,omitempty"`
	Start      string         `json:"startTimeUnixNano,omitempty"`
	Time       string         `json:"timeUnixNano"`
	Double     *float64       `json:"asDouble,omitempty"`
	Count      string         `json:"count,omitempty"`
	Sum        *float64       `json:"sum,omitempty"`
	Buckets    []string       `json:"bucketCounts,omitempty"`
	Bounds     []float64      `json:"explicitBounds,omitempty"`
	Quantiles  []quantileJSON `json:"quantileValues,omitempty"`
}

type quantileJSON struct {
	Quantile float64 `json:"quantile"`
	Value    float64 `json:"value"`
}

func (m *Metrics) document(families []*dto.MetricFamily, now time.Time) metricsJSON {
	var list []metricJSON
	for _, f := range families {
		var points []pointJSON
		for _, metric := range f.GetMetric() {
			if p, ok := m.point(metric, now); ok {
				points = append(points, p)
			}
		}
		if len(points) > 0 {
			list = append(list, family(f, points))
		}
	}
	return metricsJSON{[]resourceMetrics{{
		Resource:     resourceJSON{attributes(m.Resource.Attributes())},
		ScopeMetrics: []scopeMetrics{{scopeJSON{Name: scopeName}, list}},
	}}}
}

// family gives points the kind of their family.
func family(f *dto.MetricFamily, points []pointJSON) metricJSON {
	const cumulative = 2
	out := metricJSON{Name: f.GetName(), Description: f.GetHelp()}
	switch f.GetType() {
	case dto.MetricType_COUNTER:
		out.Sum = &pointsJSON{points, cumulative, true}
	case dto.MetricType_HISTOGRAM:
		out.Histogram = &pointsJSON{Points: points, Temporality: cumulative}
	case dto.MetricType_SUMMARY:
		out.Summary = &pointsJSON{Points: points}
	default:
		for i := range points {
			points[i].Start = ""
		}
		out.Gauge = &pointsJSON{Points: points}
	}
	return out
}

// point turns one series into a point; false leaves out what JSON cannot hold.
func (m *Metrics) point(metric *dto.Metric, now time.Time) (p pointJSON, ok bool) {
	p = pointJSON{Start: nanos(m.Began), Time: nanos(now)}
	for _, l := range metric.GetLabel() {
		p.Attributes = append(p.Attributes, keyValue{l.GetName(), text(l.GetValue())})
	}
	switch {
	case metric.Histogram != nil:
		p.histogram(metric.Histogram)
	case metric.Summary != nil:
		p.summary(metric.Summary)
	case metric.Counter != nil:
		p.Double = new(metric.Counter.GetValue())
	case metric.Gauge != nil:
		p.Double = new(metric.Gauge.GetValue())
	default:
		p.Double = new(metric.Untyped.GetValue())
	}
	for _, v := range []*float64{p.Double, p.Sum} {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
			return p, false
		}
	}
	return p, true
}

// histogram takes the cumulative buckets apart; the last one has no bound.
func (p *pointJSON) histogram(h *dto.Histogram) {
	before := uint64(0)
	for _, b := range h.GetBucket() {
		if math.IsInf(b.GetUpperBound(), 1) {
			continue
		}
		p.Bounds = append(p.Bounds, b.GetUpperBound())
		p.Buckets = append(p.Buckets, count(b.GetCumulativeCount()-before))
		before = b.GetCumulativeCount()
	}
	p.Buckets = append(p.Buckets, count(h.GetSampleCount()-before))
	p.Count, p.Sum = count(h.GetSampleCount()), new(h.GetSampleSum())
}

func (p *pointJSON) summary(s *dto.Summary) {
	for _, q := range s.GetQuantile() {
		if !math.IsNaN(q.GetValue()) {
			p.Quantiles = append(p.Quantiles, quantileJSON{q.GetQuantile(), q.GetValue()})
		}
	}
	p.Count, p.Sum = count(s.GetSampleCount()), new(s.GetSampleSum())
}

func count(n uint64) string { return strconv.FormatUint(n, 10) }
