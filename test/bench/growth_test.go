package main

import (
	"strings"
	"testing"
)

func TestGrowths(t *testing.T) {
	t.Parallel()
	for _, g := range mustParse(t).plan().growths {
		seen := map[shape]bool{}
		for i, n := range g.steps {
			if i > 0 && n <= g.steps[i-1] {
				t.Errorf("%s: %d after %d", g.what, n, g.steps[i-1])
			}
			seen[g.shape(n)] = true
		}
		if len(seen) != len(g.steps) {
			t.Errorf("%s: %d steps make %d shapes", g.what, len(g.steps), len(seen))
		}
	}
	for _, g := range mustParse(t, "-rows", "300").plan().growths {
		for i, n := range g.steps {
			if s := g.shape(n); s.rows > 300 || i > 0 && n > 300 {
				t.Errorf("%s, %d: %d rows in spite of -rows", g.what, n, s.rows)
			}
		}
		if len(g.steps) == 0 {
			t.Errorf("%s: nothing is left", g.what)
		}
	}
}

func TestGrowthIsNoPartOfAQuickRun(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]bool{"": true, "-quick": false, "-quick -parts growth": true} {
		c := mustParse(t, strings.Fields(args)...)
		if got := strings.Contains(strings.Join(c.parts, " "), partGrowth); got != want {
			t.Errorf("%q: %t, want %t", args, got, want)
		}
	}
}

func TestGrowthSections(t *testing.T) {
	t.Parallel()
	b := newBoard("x", 1, contenders(nameRelay))
	b.set(nameRelay, rate, 0, 123_456)
	b.set(nameRelay, cpu, 0, 2.5)
	b.set(nameRelay, memory, 0, 40<<20)
	all := growthSections([]growth{{what: "keys", note: "n", steps: []int{1, 1000}, boards: []*board{b, nil}}})
	if len(all) != 1 || all[0].Title != "keys" || all[0].Note != "n" {
		t.Fatalf("%+v", all)
	}
	lines := strings.Split(strings.TrimSpace(all[0].Table), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines:\n%s", len(lines), all[0].Table)
	}
	for i, want := range [][]string{{"1 ", "123,456", "2.50", "40.0"}, {"1,000", none}} {
		for _, part := range want {
			if !strings.Contains(lines[2+i], part) {
				t.Errorf("%q lacks %q", lines[2+i], part)
			}
		}
	}
}
