package kafka

import metrics "github.com/rcrowley/go-metrics"

// nilMetrics is a registry that registers nothing. sarama counts into meters and
// histograms of its own that cost it about 0.5 us a record and start a goroutine
// that never ends; we count what we need ourselves, through Observer. (The
// library's own switch, metrics.UseNilMetrics, is global to the process.)
type nilMetrics struct{}

var _ metrics.Registry = nilMetrics{}

func (nilMetrics) GetOrRegister(_ string, metric any) any {
	switch metric.(type) {
	case func() metrics.Meter:
		return metrics.NilMeter{}
	case func() metrics.Histogram:
		return metrics.NilHistogram{}
	case func() metrics.Counter:
		return metrics.NilCounter{}
	}
	return metric
}

func (nilMetrics) Each(func(string, any))            {}
func (nilMetrics) Get(string) any                    { return nil }
func (nilMetrics) GetAll() map[string]map[string]any { return nil }
func (nilMetrics) Register(string, any) error        { return nil }
func (nilMetrics) RunHealthchecks()                  {}
func (nilMetrics) Unregister(string)                 {}
func (nilMetrics) UnregisterAll()                    {}
