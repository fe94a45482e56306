package pipeline

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outbox-relay/outbox-relay/replication"
)

// slotStates are the values of the slot_state series' label.
var slotStates = []string{"active", "inactive", "lost", "missing"}

// stateCollector makes the series that describe the present, at the moment of
// the scrape. What is not known is left out: a gauge that kept its last value
// would look healthy just when nothing flows.
type stateCollector struct {
	relay atomic.Pointer[Relay]
	descs map[string]*prometheus.Desc
}

func newStateCollector() *stateCollector {
	c := &stateCollector{descs: make(map[string]*prometheus.Desc)}
	add := func(name, help string, labels ...string) {
		c.descs[name] = prometheus.NewDesc("outbox_relay_"+name, help, labels, nil)
	}
	add("phase", "1 for what the relay is doing now.", "phase")
	add("ready", "1 if /readyz answers 200.")
	add("unacked_events", "Events read from the slot that the brokers have not acknowledged.")
	add("unacked_bytes", "Memory of the unacknowledged events.")
	add("unacked_limit_bytes", "Limit of unacked_bytes: max.queue.size.in.bytes.")
	add("oldest_unacked_age_seconds", "Time since the commit of the oldest unacknowledged event; 0 if there is none.")
	add("last_received_timestamp_seconds", "When the server last sent anything.")
	add("last_ack_timestamp_seconds", "When a broker last acknowledged an event.")
	add("retry_failures", "Failures in a row of what is being retried; 0 while nothing is.")
	add("retrying_since_timestamp_seconds", "Since when something is retried without success; absent while nothing is.")
	add("received_lag_bytes", "WAL written by the server and not yet received.")
	add("confirmed_lag_bytes", "WAL written by the server and not yet confirmed.")
	add("slot_retained_bytes", "WAL that the server keeps for the slot.")
	add("slot_safe_wal_bytes", "WAL that can be written before the slot is in danger of being lost; -1 without max_slot_wal_keep_size.")
	add("slot_catalog_xmin_age", "Age in transactions of the oldest catalog row that the slot holds back from vacuum.")
	add("slot_state", "1 for the slot's state.", "state")
	add("slot_sampled_timestamp_seconds", "When the slot was last looked up in the catalog.")
	return c
}

// Describe implements prometheus.Collector.
func (c *stateCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *stateCollector) Collect(ch chan<- prometheus.Metric) {
	r := c.relay.Load()
	if r == nil {
		return
	}
	gauge := func(name string, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(c.descs[name], prometheus.GaugeValue, value, labels...)
	}
	v := r.state.view()
	for _, p := range phases {
		gauge("phase", truth(p == v.phase), string(p))
	}
	gauge("ready", truth(r.Ready() == nil))
	gauge("unacked_events", float64(v.load.Records))
	gauge("unacked_bytes", float64(v.load.Bytes))
	gauge("unacked_limit_bytes", float64(r.cfg.Limits.Bytes))
	gauge("oldest_unacked_age_seconds", ageSeconds(v.load.Oldest))
	timestamp(gauge, "last_received_timestamp_seconds", v.lastReceived)
	k := r.cfg.Producer.Status()
	timestamp(gauge, "last_ack_timestamp_seconds", k.LastAck)
	gauge("retry_failures", float64(k.Failures))
	timestamp(gauge, "retrying_since_timestamp_seconds", k.RetryingSince)
	c.slot(gauge, r)
}

// slot exports the newest sample, unless it failed.
func (c *stateCollector) slot(gauge func(string, float64, ...string), r *Relay) {
	s := r.sample.Load()
	if s == nil || s.Err != nil {
		return
	}
	timestamp(gauge, "slot_sampled_timestamp_seconds", s.At)
	now := slotState(s)
	for _, state := range slotStates {
		gauge("slot_state", truth(state == now), state)
	}
	if s.SlotGone {
		return
	}
	gauge("received_lag_bytes", float64(r.receivedLag(s)))
	gauge("confirmed_lag_bytes", float64(s.Unconfirmed()))
	gauge("slot_retained_bytes", float64(s.Retained()))
	gauge("slot_catalog_xmin_age", float64(s.XminAge))
	safe := float64(-1)
	if s.Slot.SafeWALSize != nil {
		safe = float64(*s.Slot.SafeWALSize)
	}
	gauge("slot_safe_wal_bytes", safe)
}

// slotState is one of slotStates, for a sample that did not fail.
func slotState(s *replication.Sample) string {
	_, lost := s.Slot.Lost()
	switch {
	case lost:
		return "lost"
	case s.SlotGone:
		return "missing"
	case s.Slot.Active:
		return "active"
	}
	return "inactive"
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func ageSeconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return max(0, time.Since(t).Seconds())
}

func timestamp(gauge func(string, float64, ...string), name string, t time.Time) {
	if !t.IsZero() {
		gauge(name, float64(t.UnixMilli())/1e3)
	}
}
