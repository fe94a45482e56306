package main

import (
	"math"
	"slices"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/stats"
)

// metric is something that is measured.
type metric int

const (
	rate     metric = iota // rows per second, from the start of a process to the last row
	cpu                    // seconds of processor time for a million rows
	memory                 // bytes of peak resident memory
	switches               // voluntary context switches for a thousand rows
	repeats                // records more than rows
	median                 // seconds from commit to consumed
	tail                   // the same, 99th percentile
	reached                // rows per second that were really written
	took                   // seconds
	senders                // seconds of the walsenders' processor time for a million rows
)

// board holds what was measured of several contenders under the same conditions, by round. It is filled in by one
// goroutine.
type board struct {
	title  string
	names  []string // of the contenders, in the order of the tables
	rounds int
	values map[cell][]float64
}

type cell struct {
	name string
	metric
}

func newBoard(title string, rounds int, contenders []contender) *board {
	b := &board{title: title, rounds: rounds, values: map[cell][]float64{}}
	for _, c := range contenders {
		b.names = append(b.names, c.name)
	}
	return b
}

// set notes a value.
func (b *board) set(name string, m metric, round int, value float64) {
	key := cell{name, m}
	if b.values[key] == nil {
		b.values[key] = slices.Repeat([]float64{math.NaN()}, b.rounds)
	}
	b.values[key][round] = value
}

// spread sums up a contender's values. A nil board, one of a part that was left out, has none.
func (b *board) spread(name string, m metric) stats.Spread {
	if b == nil {
		return stats.Spread{}
	}
	known := slices.DeleteFunc(slices.Clone(b.values[cell{name, m}]), math.IsNaN)
	return stats.Of(known)
}

// ratio compares two contenders round by round.
func (b *board) ratio(over, under string, m metric) stats.Spread {
	if b == nil {
		return stats.Spread{}
	}
	return stats.Paired(b.values[cell{over, m}], b.values[cell{under, m}])
}
