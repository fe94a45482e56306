package prune

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
)

// Namespace is what the names of all series begin with.
const Namespace = "outbox_pruner"

// Metrics are a pruner's series. Tables are few and named by the configuration, so they may be labels.
type Metrics struct {
	rows       *prometheus.CounterVec
	batches    *prometheus.HistogramVec
	partitions *prometheus.CounterVec
	failures   *prometheus.CounterVec
	breaks     *prometheus.CounterVec

	unproven *prometheus.GaugeVec
	others   *prometheus.GaugeVec
	oldest   *prometheus.GaugeVec
	bytes    *prometheus.GaugeVec
	live     *prometheus.GaugeVec
	dead     *prometheus.GaugeVec
	success  *prometheus.GaugeVec
	duration *prometheus.GaugeVec
	holder   prometheus.Gauge
}

// NewMetrics registers the series in reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: Namespace, Name: name, Help: help}, labels)
		reg.MustRegister(v)
		return v
	}
	gauge := func(name, help string) *prometheus.GaugeVec {
		v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: Namespace, Name: name, Help: help}, []string{"table"})
		reg.MustRegister(v)
		return v
	}
	m := &Metrics{
		rows:       counter("rows_deleted_total", "Rows deleted, those of dropped or detached partitions not counted.", "table"),
		partitions: counter("partitions_total", "Partitions made, dropped and detached.", "table", "action"),
		failures:   counter("failures_total", "Passes that failed, by reason.", "reason"),
		breaks:     counter("proof_breaks_total", "Times that nothing showed that a slot or its publication was the one seen before; rows of one interval are kept for each.", "table", "slot"),
		batches: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: Namespace, Name: "batch_duration_seconds", Help: "Time of the transactions that delete.",
			Buckets: []float64{.002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30}}, []string{"table"}),
		unproven: gauge("unproven_rows", "Rows old enough to go that are kept because nothing shows that they were relayed, in the last pass."),
		others:   gauge("unnamed_slots", "Slots that may read the table and are not named by slot.name."),
		oldest:   gauge("oldest_row_timestamp_seconds", "Time of the oldest row, where an index tells it."),
		bytes:    gauge("table_bytes", "Size of the table with its partitions, indexes and TOAST."),
		live:     gauge("live_rows", "Rows of the table, as PostgreSQL's statistics estimate them."),
		dead:     gauge("dead_rows", "Rows that are deleted and not vacuumed yet, as PostgreSQL's statistics estimate them."),
		success:  gauge("last_success_timestamp_seconds", "When the last pass succeeded, by the server's clock."),
		duration: gauge("last_pass_duration_seconds", "How long the last pass that succeeded took."),
	}
	m.holder = prometheus.NewGauge(prometheus.GaugeOpts{Namespace: Namespace, Name: "oldest_transaction_age_seconds",
		Help: "Age of the oldest transaction that has written and runs, in all databases: rows from since it began are kept."})
	reg.MustRegister(m.batches, m.holder)
	return m
}

// start makes the series of a table be there before anything has happened.
func (m *Metrics) start(table string) {
	m.rows.WithLabelValues(table)
	for _, action := range []string{"made", "dropped", "detached"} {
		m.partitions.WithLabelValues(table, action)
	}
}

func (m *Metrics) deleted(table string, n int64, took time.Duration) {
	m.rows.WithLabelValues(table).Add(float64(n))
	m.batches.WithLabelValues(table).Observe(took.Seconds())
}

func (m *Metrics) passed(table string, took time.Duration, at time.Time) {
	m.duration.WithLabelValues(table).Set(took.Seconds())
	m.success.WithLabelValues(table).Set(seconds(at))
}

func (m *Metrics) failed(reason string) { m.failures.WithLabelValues(reason).Inc() }

func (m *Metrics) sized(table string, s catalog.Size) {
	m.bytes.WithLabelValues(table).Set(float64(s.Bytes))
	m.live.WithLabelValues(table).Set(float64(s.Live))
	m.dead.WithLabelValues(table).Set(float64(s.Dead))
}

// oldestRow leaves the series out while nothing is known: a stale one would look fine.
func (m *Metrics) oldestRow(table string, at *time.Time) {
	if at == nil {
		m.oldest.DeleteLabelValues(table)
		return
	}
	m.oldest.WithLabelValues(table).Set(seconds(*at))
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1e3 }
