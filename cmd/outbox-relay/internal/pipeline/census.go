package pipeline

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// tally is what waits of one aggregate type.
type tally struct {
	events int
	oldest int64 // commit time, microseconds since 1970; 0 if none is known
}

// census counts what waits, by kind. It looks at every record in flight, so that a
// row on its way pays nothing for being counted; each block is locked for itself,
// so that nobody waits long for a count.
func (f *flow) census(kinds int) []tally {
	f.mu.Lock()
	blocks := append([]*block(nil), f.blocks...)
	f.mu.Unlock()
	tallies := make([]tally, kinds)
	for _, b := range blocks {
		f.mu.Lock()
		b.count(tallies)
		f.mu.Unlock()
	}
	return tallies
}

// count adds what is published of the block and not acknowledged.
func (b *block) count(tallies []tally) {
	if b.unacked == 0 {
		return
	}
	for i := range b.messages[:b.published] {
		m := &b.messages[i]
		if m.Txn == 0 || int(m.Kind) >= len(tallies) { // acknowledged, or of a type that came just now
			continue
		}
		t := &tallies[m.Kind]
		t.events++
		if m.Committed != 0 && (t.oldest == 0 || m.Committed < t.oldest) {
			t.oldest = m.Committed
		}
	}
}

// kindCollector makes the series by aggregate type, at the moment of the scrape.
type kindCollector struct {
	relay   atomic.Pointer[Relay]
	kinds   *kinds
	waiting *prometheus.Desc
	age     *prometheus.Desc
}

func newKindCollector(k *kinds) *kindCollector {
	label := []string{"aggregate_type"}
	return &kindCollector{
		kinds: k,
		waiting: prometheus.NewDesc("outbox_relay_waiting_events",
			"Events read from the slot that the brokers have not acknowledged, by aggregate type; beyond metrics.max-types the rest counts as other.", label, nil),
		age: prometheus.NewDesc("outbox_relay_oldest_waiting_age_seconds",
			"Time since the commit of an aggregate type's oldest event that is not acknowledged; 0 if there is none.", label, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *kindCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.waiting
	ch <- c.age
}

// Collect implements prometheus.Collector. Types that were seen and have nothing
// waiting are 0, so that alerts end.
func (c *kindCollector) Collect(ch chan<- prometheus.Metric) {
	names := c.kinds.all()
	tallies := make([]tally, len(names))
	if r := c.relay.Load(); r != nil {
		if f := r.state.liveFlow(); f != nil {
			tallies = f.census(len(names))
		}
	}
	for kind := int(otherKind); kind < len(names); kind++ {
		t, age := tallies[kind], 0.0
		if t.oldest != 0 {
			age = ageSeconds(time.UnixMicro(t.oldest))
		}
		ch <- prometheus.MustNewConstMetric(c.waiting, prometheus.GaugeValue, float64(t.events), names[kind])
		ch <- prometheus.MustNewConstMetric(c.age, prometheus.GaugeValue, age, names[kind])
	}
}
