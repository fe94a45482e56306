package pipeline

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// delayBounds are the upper bounds of the buckets, in microseconds.
var delayBounds = [...]int64{500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
	2_500_000, 5_000_000, 10_000_000, 30_000_000, 60_000_000, 300_000_000, 3_600_000_000}

// delays is the histogram of the time from commit to acknowledgement. It counts
// a run of records of one transaction in one step, which a Prometheus histogram
// cannot.
type delays struct {
	desc    *prometheus.Desc
	buckets [len(delayBounds) + 1]atomic.Uint64
	sum     atomic.Int64 // microseconds
}

func newDelays(desc *prometheus.Desc) *delays { return &delays{desc: desc} }

// observe counts n records with the same delay. Clocks of two machines differ:
// a negative delay counts as none.
func (d *delays) observe(micros int64, n int) {
	micros = max(micros, 0)
	i := 0
	for i < len(delayBounds) && micros > delayBounds[i] {
		i++
	}
	d.buckets[i].Add(uint64(n))
	d.sum.Add(micros * int64(n))
}

// Describe implements prometheus.Collector.
func (d *delays) Describe(ch chan<- *prometheus.Desc) { ch <- d.desc }

// Collect implements prometheus.Collector.
func (d *delays) Collect(ch chan<- prometheus.Metric) {
	cumulative := make(map[float64]uint64, len(delayBounds))
	var count uint64
	for i, bound := range delayBounds {
		count += d.buckets[i].Load()
		cumulative[float64(bound)/1e6] = count
	}
	count += d.buckets[len(delayBounds)].Load()
	ch <- prometheus.MustNewConstHistogram(d.desc, count, float64(d.sum.Load())/1e6, cumulative)
}
