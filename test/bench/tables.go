package main

import (
	"fmt"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/chart"
	"github.com/outbox-relay/outbox-relay/test/bench/internal/markdown"
)

// drainTable has a line for each contender of a drain, compared with the yardstick.
func drainTable(b *board, yardstick string) string {
	t := markdown.Table{Head: []string{
		"", "rows/s", "× " + yardstick, "CPU s per million rows", "peak memory, MB", "voluntary switches per 1,000 rows",
	}}
	for _, name := range b.names {
		t.Add(name,
			numeral(thousands).spread(b.spread(name, rate)),
			numeral(times).spread(b.ratio(name, yardstick, rate)),
			numeral(significant).spread(b.spread(name, cpu)),
			numeral(megabytes).spread(b.spread(name, memory)),
			numeral(significant).spread(b.spread(name, switches)))
	}
	return t.String()
}

// latencyTable has a line for each rate and contender.
func latencyTable(boards []*board) string {
	t := markdown.Table{Head: []string{"", "", "p50, ms", "× floor", "p99, ms", "× floor", "rows/s reached"}}
	for _, b := range boards {
		for i, name := range b.names {
			title := ""
			if i == 0 {
				title = b.title
			}
			t.Add(title, name,
				numeral(milliseconds).spread(b.spread(name, median)), numeral(times).spread(b.ratio(name, nameFloor, median)),
				numeral(milliseconds).spread(b.spread(name, tail)), numeral(times).spread(b.ratio(name, nameFloor, tail)),
				numeral(thousands).spread(b.spread(name, reached)))
		}
	}
	return t.String()
}

// tookTable has a line for each contender, with the time that something took.
func tookTable(b *board) string {
	t := markdown.Table{Head: []string{"", "seconds", "× floor"}}
	for _, name := range b.names {
		t.Add(name, numeral(significant).spread(b.spread(name, took)), numeral(times).spread(b.ratio(name, nameFloor, took)))
	}
	return t.String()
}

// goalTable says which goals were met.
func goalTable(goals []goal) string {
	t := markdown.Table{Head: []string{"goal", "limit", "measured", "met"}}
	for _, g := range goals {
		t.Add(g.what, g.bound(), g.print.spread(g.got), g.verdict())
	}
	return t.String()
}

// drainChart shows the rows per second of all drains.
func drainChart(boards []*board, rounds int) chart.Chart {
	c := chart.Chart{
		Title: "Rows per second, from the start of the process to the last row",
		Note:  fmt.Sprintf("Longer is better. Median of %d rounds; the line is the range from the slowest to the fastest.", rounds),
	}
	for _, b := range boards {
		g := chart.Group{Name: b.title}
		for _, name := range b.names {
			if s := b.spread(name, rate); s.N > 0 {
				g.Bars = append(g.Bars, chart.Bar{Name: name, Value: s.Median, Low: s.Min, High: s.Max, Label: thousands(s.Median)})
			}
		}
		c.Groups = append(c.Groups, g)
	}
	return c
}
