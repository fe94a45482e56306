package statuspage

import "time"

const (
	// span is how far back the charts go.
	span = 15 * time.Minute
	// points is how many looks that is.
	points = int(span / every)
	// unknown stands for a value that could not be measured.
	unknown = -1
)

// point is what was measured at one look.
type point struct {
	at       time.Time
	lag      int64  // microseconds, or unknown
	retained int64  // bytes of WAL that the server keeps, or unknown
	events   uint32 // acknowledged since the look before
	ready    bool
}

// past is the points of the last 15 minutes. It takes the same memory for ever.
type past struct {
	ring  [points]point
	count int
}

func newPast() *past { return &past{} }

func (p *past) add(x point) {
	p.ring[p.count%points] = x
	p.count++
}

// each goes through the points, oldest first.
func (p *past) each(yield func(point)) {
	for i := max(0, p.count-points); i < p.count; i++ {
		yield(p.ring[i%points])
	}
}

// last is the newest point.
func (p *past) last() point { return p.ring[(p.count-1)%points] }

// history is what a chart starts with: columns, because they are shorter than rows.
type history struct {
	At       []int64  `json:"at"` // milliseconds since 1970
	Lag      []int64  `json:"lag"`
	Events   []uint32 `json:"events"`
	Retained []int64  `json:"retained"`
	Ready    []int    `json:"ready"`
}

func (p *past) history() history {
	var h history
	p.each(func(x point) {
		h.At, h.Lag, h.Events = append(h.At, x.at.UnixMilli()), append(h.Lag, x.lag), append(h.Events, x.events)
		h.Retained, h.Ready = append(h.Retained, x.retained), append(h.Ready, bit(x.ready))
	})
	return h
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
