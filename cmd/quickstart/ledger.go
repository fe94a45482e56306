package main

import (
	"fmt"
	"time"
)

// expected is an event that was committed and must arrive.
type expected struct {
	id        string
	key       string
	value     string
	committed time.Time
}

// ledger knows what must arrive next for each key. It finds events that are lost, repeated, changed or out of order.
type ledger struct {
	byKey map[string][]expected // in the order of commits
	open  int
	total int // that were ever expected
}

func newLedger() *ledger { return &ledger{byKey: map[string][]expected{}} }

// expect adds committed events in their order.
func (l *ledger) expect(events []expected) {
	for _, e := range events {
		l.byKey[e.key] = append(l.byKey[e.key], e)
		l.open++
		l.total++
	}
}

// arrived strikes off an event and returns the time from its commit to its arrival.
func (l *ledger) arrived(e event) (time.Duration, error) {
	queue := l.byKey[e.key]
	if len(queue) == 0 {
		return 0, fmt.Errorf("event %s of order %s arrived, but none is expected: it is repeated, or was never committed", e.id, e.key)
	}
	next := queue[0]
	if e.id != next.id {
		return 0, fmt.Errorf("event %s of order %s arrived where %s must come next", e.id, e.key, next.id)
	}
	if e.value != next.value {
		return 0, fmt.Errorf("event %s of order %s arrived as %s, but was committed as %s", e.id, e.key, e.value, next.value)
	}
	if len(queue) == 1 {
		delete(l.byKey, e.key)
	} else {
		l.byKey[e.key] = queue[1:]
	}
	l.open--
	return e.arrived.Sub(next.committed), nil
}
