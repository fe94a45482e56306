package kafka

import "time"

// gatherFor is how long late events are gathered after a request.
const gatherFor = 10 * time.Millisecond

// gather has the producer rest for a moment after it has sent all that it had, while the
// events are late anyway, so that the next request carries more of them. The broker's work
// is by batch and request, not by record, and where it shares processors with the
// walsender, requests of a few records each slow down the reading of a backlog. While more
// is waiting than a request takes there is no rest, and none behind a live event.
type gather struct {
	late  bool // the event taken last was
	until time.Time
}

// begin is told that everything is under way.
func (g *gather) begin(now time.Time) {
	if g.late {
		g.until = now.Add(gatherFor)
	}
}

// rests reports whether nothing is to be taken or sent now.
func (g *gather) rests(now time.Time) bool { return now.Before(g.until) }
