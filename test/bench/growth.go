package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/markdown"
)

// growth is one thing that grows while all others stay, to see whether cost and memory grow with it.
type growth struct {
	what   string // that grows
	note   string
	steps  []int
	shape  func(step int) shape
	boards []*board // of steps; nil for one that failed
}

// growths are all of them.
func (c choices) growths() []growth {
	const rows = 500_000
	backlog := func(rows int) shape { return drained(100, rows) }
	all := []growth{
		{what: "rows of the backlog", note: "100 rows per transaction. The start of the process, some 0.03 s, weighs on the smallest.",
			steps: []int{10_000, 100_000, 1_000_000, 10_000_000}, shape: backlog},
		{what: "topics", note: "500,000 rows, 100 per transaction, topics of one partition.",
			steps: []int{1, 10, 100, 1000}, shape: func(n int) shape { s := backlog(rows); s.topics, s.thin = n, true; return s }},
		{what: "keys", note: "1,000,000 rows, 100 per transaction.",
			steps: []int{1, 1000, 1_000_000}, shape: func(n int) shape { s := backlog(2 * rows); s.keys = n; return s }},
		{what: "rows of a transaction", note: "All rows are in one. The walsender sends nothing before the commit is decoded, and spills to disk meanwhile.",
			steps: []int{10_000, 100_000, 1_000_000, 5_000_000}, shape: func(n int) shape { return drained(0, n) }},
		{what: "unacknowledged records (max.queue.size)", note: "500,000 rows, 1 per transaction.",
			steps: []int{1024, 8192, 65_536}, shape: func(n int) shape { s := drained(1, rows); s.queue = n; return s }},
	}
	if c.rows > 0 {
		for i := range all {
			all[i].cut(c.rows)
		}
	}
	return all
}

// cut limits the rows, and leaves out what needs more of them, but for the first step.
func (g *growth) cut(rows int) {
	grown := g.shape
	g.shape = func(n int) shape {
		s := grown(n)
		s.rows = min(s.rows, rows)
		return s
	}
	g.steps = slices.DeleteFunc(g.steps, func(n int) bool { return n > rows && n != g.steps[0] })
}

// measureGrowth has the relay drain a backlog for each step of each growth.
func (s *stand) measureGrowth(ctx context.Context, r *report) []error {
	var failures []error
	for i := range s.plan.growths {
		g := s.plan.growths[i]
		for j, step := range g.steps {
			if ctx.Err() != nil {
				return failures
			}
			b, err := s.drainAlone(ctx, fmt.Sprintf("growth_%d_%d", i, j), g.shape(step))
			failures = append(failures, failed(fmt.Sprintf("%s %s", thousands(float64(step)), g.what), err)...)
			g.boards = append(g.boards, b)
		}
		r.growths = append(r.growths, g)
	}
	return failures
}

// drainAlone has the relay alone drain a backlog once.
func (s *stand) drainAlone(ctx context.Context, name string, wanted shape) (b *board, err error) {
	relay := s.relays()[:1]
	log, err := s.newBacklog(ctx, name, wanted, relay, 1)
	if err != nil {
		return nil, err
	}
	defer func() {
		if dropErr := log.drop(); err == nil {
			err = dropErr
		}
	}()
	got, err := s.drainOnce(ctx, relay[0], log, slotName(relay[0], relay, 0))
	if err != nil {
		return nil, err
	}
	s.say("%s: %.0f rows/s", name, got.perSecond())
	b = newBoard(name, 1, relay)
	got.note(b, nameRelay, 0)
	return b, nil
}

// growthSections are a table for each growth.
func growthSections(growths []growth) []section {
	var all []section
	for _, g := range growths {
		t := markdown.Table{Head: []string{g.what, "rows/s", "CPU s per million rows", "peak memory, MB"}}
		for i, b := range g.boards {
			cell := func(m metric, n numeral) string { return n.spread(b.spread(nameRelay, m)) }
			t.Add(thousands(float64(g.steps[i])), cell(rate, thousands), cell(cpu, significant), cell(memory, megabytes))
		}
		all = append(all, section{Title: g.what, Note: g.note, Table: t.String()})
	}
	return all
}
