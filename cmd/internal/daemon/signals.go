package daemon

import (
	"os"
	"time"
)

// sameSignal is how long after the first signal another of its kind is not taken
// for a second wish. Wrappers such as timeout(1) signal the child and then its
// process group, so that one wish arrives twice within microseconds; and who holds
// Ctrl-C down for a moment does not mean to cut the drain short.
const sameSignal = time.Second

// patience counts the signals of one process.
type patience struct {
	now   func() time.Time
	first os.Signal
	at    time.Time
}

// take reports what a signal asks for: to stop in order, to leave at once, or
// neither, if it is an echo of the first.
func (p *patience) take(s os.Signal) (stop, leave bool) {
	switch {
	case p.first == nil:
		p.first, p.at = s, p.now()
		return true, false
	case s == p.first && p.now().Sub(p.at) < sameSignal:
		return false, false
	}
	return false, true
}
