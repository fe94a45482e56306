package metricdoc

import "github.com/prometheus/client_golang/prometheus"

// Registry remembers the types of the histograms and summaries that are registered through it, whose names do not show
// them, so that List knows them before they have a value.
type Registry struct {
	*prometheus.Registry
	types map[string]string // by name
}

// Around returns a Registry that registers in reg.
func Around(reg *prometheus.Registry) *Registry {
	return &Registry{Registry: reg, types: map[string]string{}}
}

// Register implements prometheus.Registerer.
func (r *Registry) Register(c prometheus.Collector) error {
	r.note(c)
	return r.Registry.Register(c)
}

// MustRegister implements prometheus.Registerer.
func (r *Registry) MustRegister(cs ...prometheus.Collector) {
	for _, c := range cs {
		r.note(c)
	}
	r.Registry.MustRegister(cs...)
}

func (r *Registry) note(c prometheus.Collector) {
	var kind string
	switch c.(type) {
	case *prometheus.HistogramVec:
		kind = "histogram"
	case *prometheus.SummaryVec:
		kind = "summary"
	default:
		return
	}
	desc := make(chan *prometheus.Desc, 1) // a vector has one
	c.Describe(desc)
	if s, err := parse(<-desc); err == nil {
		r.types[s.Name] = kind
	}
}
