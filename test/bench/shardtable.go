package main

import (
	"fmt"
	"strings"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/markdown"
)

// shardTable has a line for each number of relays, compared with one.
func shardTable(b *board) string {
	t := markdown.Table{Head: []string{
		"", "rows/s", "× " + relayCount(1), "relays: CPU s per million rows", "walsenders: CPU s per million rows", "relays: peak memory, MB",
	}}
	for _, name := range b.names {
		t.Add(name,
			numeral(thousands).spread(b.spread(name, rate)),
			numeral(times).spread(b.ratio(name, relayCount(1), rate)),
			numeral(significant).spread(b.spread(name, cpu)),
			numeral(significant).spread(b.spread(name, senders)),
			numeral(megabytes).spread(b.spread(name, memory)))
	}
	return t.String()
}

// shardSections are the tables, each with what it says in words: whether more relays were faster at all.
func (r *report) shardSections() []section {
	var all []section
	for i, b := range r.shards {
		title := fmt.Sprintf("%s: %s rows", b.title, thousands(float64(r.plan.shardShapes[i].rows)))
		all = append(all, section{Title: title, Table: shardTable(b), Note: strings.TrimSpace(shardVerdict(b) + " " + repeatNote(b))})
	}
	return all
}

// shardVerdict calls more relays faster or slower only if every round says so.
func shardVerdict(b *board) string {
	var parts []string
	for _, n := range shardCounts[1:] {
		s := b.ratio(relayCount(n), relayCount(1), rate)
		verdict := "faster in some rounds and not in others"
		switch {
		case s.N == 0:
			continue
		case s.Min > 1+noise:
			verdict = "faster in every round"
		case s.Max < 1-noise:
			verdict = "slower in every round"
		case s.Max <= 1+noise:
			verdict = "faster in no round"
		}
		parts = append(parts, fmt.Sprintf("%s were %s (median %s)", relayCount(n), verdict, times(s.Median)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Compared with one relay, " + strings.Join(parts, "; ") + "."
}
