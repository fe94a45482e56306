package statuspage

import (
	"cmp"
	"slices"
	"time"
)

// rateLooks is over how many looks a rate is taken: long enough to be read, short enough to follow.
const rateLooks = 10

// maxTopics bounds the table of topics.
const maxTopics = 100

// rates turns totals by topic into rates.
type rates struct {
	at     [rateLooks]time.Time
	totals [rateLooks]map[string]uint64
	count  int
}

func newRates() *rates { return &rates{} }

// add takes the totals of now; the map is kept.
func (r *rates) add(now time.Time, topics map[string]uint64) {
	r.at[r.count%rateLooks], r.totals[r.count%rateLooks] = now, topics
	r.count++
}

// topic is one line of the table.
type topic struct {
	Name      string  `json:"name"`
	Events    uint64  `json:"events"`
	PerSecond float64 `json:"per_second"`
}

// topics returns the rates over the last ten seconds, the busiest first.
func (r *rates) topics() []topic {
	if r.count == 0 {
		return nil
	}
	newest, oldest := (r.count-1)%rateLooks, max(0, r.count-rateLooks)%rateLooks
	seconds := r.at[newest].Sub(r.at[oldest]).Seconds()
	var out []topic
	for name, total := range r.totals[newest] {
		t := topic{Name: name, Events: total}
		if seconds > 0 {
			t.PerSecond = float64(total-r.totals[oldest][name]) / seconds
		}
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b topic) int {
		return cmp.Or(cmp.Compare(b.PerSecond, a.PerSecond), cmp.Compare(b.Events, a.Events), cmp.Compare(a.Name, b.Name))
	})
	return out[:min(len(out), maxTopics)]
}
