package main

import (
	"fmt"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/stats"
)

// goal is what the project wants to reach. Goals are shown, never asserted: a number of a busy machine proves nothing.
type goal struct {
	what    string
	limit   float64
	atLeast bool // the limit is the least; otherwise the most
	got     stats.Spread
	print   numeral
	worst   bool // the worst round counts, not the median
}

func (g goal) bound() string {
	if g.atLeast {
		return "≥ " + g.print(g.limit)
	}
	return "≤ " + g.print(g.limit)
}

func (g goal) verdict() string {
	switch {
	case g.got.N == 0:
		return none
	case g.met():
		return "yes"
	}
	return "**no**"
}

func (g goal) met() bool {
	got := g.got.Median
	if g.atLeast {
		return got >= g.limit
	}
	if g.worst {
		got = g.got.Max
	}
	return got <= g.limit
}

// drainGoals are the wanted ratios to pg_recvlogical by rows per transaction (0 = all in one).
var drainGoals = map[int]float64{1: 1.6, 100: 0.85, 0: 0.95}

// goals lists all goals about which this run can say something.
func (r *report) goals() []goal {
	var all []goal
	for i, b := range r.drains {
		all = append(all, drainGoalsOf(b, r.plan.shapes[i])...)
	}
	for _, b := range r.latencies {
		all = append(all,
			goal{what: "commit to consumed at " + b.title + ", p50, to the floor", limit: 1.5, got: b.ratio(nameRelay, nameFloor, median), print: times},
			goal{what: "commit to consumed at " + b.title + ", p99, to the floor", limit: 2, got: b.ratio(nameRelay, nameFloor, tail), print: times})
	}
	seconds := func(v float64) string { return significant(v) + " s" }
	all = append(all,
		goal{what: "start to first record", limit: 0.3, got: r.start.spread(nameRelay, took), print: seconds},
		goal{what: "recovery after kill -9", limit: 0.5, got: r.recovery.spread(nameRelay, took), print: seconds})
	var known []goal
	for _, g := range all {
		if g.got.N > 0 {
			known = append(known, g)
		}
	}
	return known
}

// drainGoalsOf are the goals for one shape. Speed and processor time have goals for the plain shapes only.
func drainGoalsOf(b *board, s shape) []goal {
	megabyte := func(v float64) string { return megabytes(v) + " MB" }
	all := []goal{{
		what: b.title + ": peak memory", limit: 64 << 20, got: b.spread(nameRelay, memory), print: megabyte, worst: true,
	}}
	limit, ok := drainGoals[s.perTxn]
	if !ok || s != drained(s.perTxn, s.rows) {
		return all
	}
	return append([]goal{
		{what: b.title + ": rows/s to " + nameReceive, limit: limit, atLeast: true, got: b.ratio(nameRelay, nameReceive, rate), print: times},
		{what: b.title + ": rows/s to " + nameTuned, limit: 3, atLeast: true, got: b.ratio(nameRelay, nameTuned, rate), print: times},
		{what: b.title + ": CPU to " + nameTuned, limit: 0.25, got: b.ratio(nameRelay, nameTuned, cpu), print: times},
		{what: fmt.Sprintf("%s: CPU to %s + %s", b.title, nameReceive, nameProducer), limit: 1.2, got: b.toSum(nameRelay, cpu, nameReceive, nameProducer), print: times},
	}, all...)
}

// toSum compares a contender, round by round, with what others need together.
func (b *board) toSum(name string, m metric, others ...string) stats.Spread {
	sum := make([]float64, b.rounds)
	for _, other := range others {
		values := b.values[cell{other, m}]
		if values == nil {
			return stats.Spread{}
		}
		for i, v := range values {
			sum[i] += v // NaN makes the round unknown
		}
	}
	return stats.Paired(b.values[cell{name, m}], sum)
}
