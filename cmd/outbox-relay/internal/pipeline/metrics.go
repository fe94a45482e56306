package pipeline

import (
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// DefaultMaxTypes bounds the labels topic and aggregate_type, which come from
// columns, so are data: beyond this many, the rest is counted together as other.
const DefaultMaxTypes = 100

// topicSeries are the counters of one topic.
type topicSeries struct{ acked, sent, failed prometheus.Counter }

// Metrics are a relay's series. They carry the slot as a constant label, because
// one process relays one slot.
type Metrics struct {
	transactions prometheus.Counter
	events       *prometheus.CounterVec
	eventBytes   prometheus.Counter
	ignored      *prometheus.CounterVec
	rekeyed      prometheus.Counter
	heartbeats   prometheus.Counter
	actionErrors prometheus.Counter
	snapshotRows prometheus.Counter
	blocked      prometheus.Counter
	attempts     prometheus.Counter
	failures     *prometheus.CounterVec
	rebuilds     *prometheus.CounterVec
	reconnects   *prometheus.CounterVec
	slotCreated  prometheus.Counter
	buried       *prometheus.CounterVec
	skipped      prometheus.Counter
	unexpanded   *prometheus.CounterVec
	sent         *prometheus.CounterVec
	refused      *prometheus.CounterVec
	kinds        *kinds
	byKind       *kindCollector
	delays       *delays
	state        *stateCollector

	received atomic.Uint64 // highest position received

	mu     sync.Mutex
	limit  int // of topics
	topics map[string]*topicSeries
}

// NewMetrics registers the series in reg.
func NewMetrics(reg prometheus.Registerer, slot string) *Metrics {
	reg = prometheus.WrapRegistererWith(prometheus.Labels{"slot": slot}, reg)
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: "outbox_relay_" + name, Help: help})
		reg.MustRegister(c)
		return c
	}
	vector := func(name, label, help string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "outbox_relay_" + name, Help: help}, []string{label})
		reg.MustRegister(v)
		return v
	}
	m := &Metrics{
		transactions: counter("transactions_total", "Transactions read from the slot, those without events included."),
		events:       vector("events_total", "topic", "Events that the brokers acknowledged, by topic, dead letters included; beyond metrics.max-types topics the rest counts as other."),
		sent:         vector("topic_attempts_total", "topic", "Batches sent to the brokers by topic, repeats included."),
		refused:      vector("topic_failures_total", "topic", "Batches that were not acknowledged, by topic."),
		buried:       vector("dead_letters_total", "reason", "Events that could not be sent and are in the dead-letter topic (errors.tolerance=all), by reason."),
		skipped:      counter("skipped_events_total", "Events given up by hand (skip.lsn, skip.id)."),
		unexpanded:   vector("unexpanded_payloads_total", "reason", "Payloads that table.expand.json.payload could not expand, by reason."),
		eventBytes:   counter("event_bytes_total", "Bytes of keys, values and headers of acknowledged events."),
		ignored:      vector("ignored_changes_total", "operation", "Changes of the outbox table that are no INSERT and were not relayed."),
		rekeyed:      counter("rekeyed_events_total", "UPDATEs that changed the key of an outbox row and were relayed as a new event, as Debezium does."),
		heartbeats:   counter("heartbeats_total", "Heartbeats sent (heartbeat.interval.ms)."),
		actionErrors: counter("heartbeat_action_failures_total", "Runs of heartbeat.action.query that failed."),
		snapshotRows: counter("snapshot_rows_total", "Rows read by snapshots (snapshot.mode)."),
		blocked:      counter("backpressure_total", "Times that reading waited because max.queue.size or max.queue.size.in.bytes was reached."),
		attempts:     counter("publish_attempts_total", "Batches sent to the brokers, repeats included."),
		failures:     vector("publish_failures_total", "reason", "Batches that were not acknowledged, by reason."),
		rebuilds:     vector("producer_rebuilds_total", "reason", "New producer ids after an error that the old one could not survive."),
		reconnects:   vector("reconnects_total", "reason", "Replication sessions lost, by reason."),
		slotCreated:  counter("slot_created_total", "Replication slots made by this process."),
		delays:       newDelays(prometheus.NewDesc("outbox_relay_event_delay_seconds", "Time from the commit in PostgreSQL to the acknowledgement by the brokers.", nil, nil)),
		state:        newStateCollector(),
		kinds:        newKinds(DefaultMaxTypes),
		limit:        DefaultMaxTypes,
		topics:       make(map[string]*topicSeries),
	}
	m.byKind = newKindCollector(m.kinds)
	reg.MustRegister(m.delays, m.state, m.byKind)
	for _, op := range []string{"update", "delete", "truncate"} {
		m.ignored.WithLabelValues(op)
	}
	return m
}

// attach lets the series about the present ask the relay.
func (m *Metrics) attach(r *Relay) {
	m.state.relay.Store(r)
	m.byKind.relay.Store(r)
}

// Limit bounds how many topics and aggregate types have series of their own
// (metrics.max-types). It is called before anything is counted.
func (m *Metrics) Limit(types int) { m.limit, m.kinds.limit = types, types }

// Acked implements kafka.Observer.
func (m *Metrics) Acked(topic string, n, bytes int) {
	m.topic(topic).acked.Add(float64(n))
	m.eventBytes.Add(float64(bytes))
}

func (m *Metrics) topic(name string) *topicSeries {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t, ok := m.topics[name]; ok {
		return t
	}
	if len(m.topics) < m.limit || name == otherName {
		m.topics[name] = m.newTopic(name)
		return m.topics[name]
	}
	if m.topics[otherName] == nil {
		m.topics[otherName] = m.newTopic(otherName)
	}
	return m.topics[otherName]
}

func (m *Metrics) newTopic(label string) *topicSeries {
	return &topicSeries{m.events.WithLabelValues(label), m.sent.WithLabelValues(label), m.refused.WithLabelValues(label)}
}

// Attempt implements kafka.Observer.
func (m *Metrics) Attempt(batches int) { m.attempts.Add(float64(batches)) }

// Failure implements kafka.Observer.
func (m *Metrics) Failure(reason string) { m.failures.WithLabelValues(reason).Inc() }

// Rebuilt implements kafka.Observer.
func (m *Metrics) Rebuilt(reason string) { m.rebuilds.WithLabelValues(reason).Inc() }

// Sent implements kafka.Observer.
func (m *Metrics) Sent(topic string) { m.topic(topic).sent.Inc() }

// Failed implements kafka.Observer.
func (m *Metrics) Failed(topic string) { m.topic(topic).failed.Inc() }

// Buried implements kafka.Observer.
func (m *Metrics) Buried(reason string) { m.buried.WithLabelValues(reason).Inc() }
