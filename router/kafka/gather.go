package kafka

import "time"

const (
	// lateAfter is how old an event may be when it is taken before it counts as late:
	// far older than one that comes live.
	lateAfter = 250 * time.Millisecond
	// gatherFor is how long late events are gathered after a request.
	gatherFor = 10 * time.Millisecond
)

// gather has the producer rest for a moment after a small request while the events are
// late anyway, so that the next one carries more of them. The broker's work is by batch
// and request, not by record, and where it shares processors with the walsender, requests
// of a few records each slow down the reading of a backlog. Live events never wait.
type gather struct {
	late  bool // the event taken last was
	until time.Time
}

// note is told when an event that is taken was committed, in microseconds since 1970; 0
// tells nothing.
func (g *gather) note(committed int64, now time.Time) {
	if committed != 0 {
		g.late = now.UnixMicro()-committed > lateAfter.Microseconds()
	}
}

// sent is told of a request, and whether it was far from full: a full one shows that there
// is no need to wait for more.
func (g *gather) sent(small bool, now time.Time) {
	if g.late && small {
		g.until = now.Add(gatherFor)
	}
}

// rests reports whether nothing is to be taken or sent now.
func (g *gather) rests(now time.Time) bool { return now.Before(g.until) }
