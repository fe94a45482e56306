package main

import (
	"fmt"
	"strings"
)

// noise is the difference below which nobody is better.
const noise = 0.02

// compared are the metrics in which one can be better, and how they are called.
var compared = []struct {
	metric
	name       string
	moreIsGood bool
}{
	{rate, "rows/s", true},
	{cpu, "CPU", false},
	{memory, "peak memory", false},
	{switches, "voluntary switches", false},
	{median, "p50", false},
	{tail, "p99", false},
	{took, "time", false},
}

// worse lists, for each board, where others were better than the relay.
func (r *report) worse() []string {
	boards := append(append([]*board(nil), r.drains...), r.latencies...)
	var lines []string
	for _, b := range append(boards, r.start, r.recovery) {
		if b == nil {
			continue
		}
		if parts := b.worse(); len(parts) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s.", b.title, strings.Join(parts, "; ")))
		}
	}
	return lines
}

func (b *board) worse() []string {
	var parts []string
	for _, m := range compared {
		var better []string
		for _, name := range b.names {
			if name == nameRelay || name == nameBaseline || name == nameProducer {
				continue
			}
			s := b.ratio(nameRelay, name, m.metric)
			if s.N > 0 && (m.moreIsGood && s.Median < 1-noise || !m.moreIsGood && s.Median > 1+noise) {
				better = append(better, fmt.Sprintf("%s that of %s", times(s.Median), name))
			}
		}
		if len(better) > 0 {
			parts = append(parts, m.name+" "+strings.Join(better, ", "))
		}
	}
	return parts
}
