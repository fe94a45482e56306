package pipeline

import "time"

// pace says when to tell again how something long goes on: often while it is new,
// seldom once it has lasted, so that a night's work does not fill the log.
type pace struct {
	began time.Time
	told  time.Time
}

func newPace(now time.Time) pace { return pace{began: now, told: now} }

// due reports whether it is time, and takes it that it will be told.
func (p *pace) due(now time.Time) bool {
	pause := 10 * time.Second
	switch took := now.Sub(p.began); {
	case took > time.Hour:
		pause = 5 * time.Minute
	case took > 10*time.Minute:
		pause = time.Minute
	case took > time.Minute:
		pause = 30 * time.Second
	}
	if now.Sub(p.told) < pause {
		return false
	}
	p.told = now
	return true
}
