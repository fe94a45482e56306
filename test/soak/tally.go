package main

import "fmt"

// tally sums up the rounds.
type tally struct {
	rounds, lost, inversions, foreign, changed, repeats int
	failed                                              []uint64 // seeds
}

func (t *tally) add(r *round) {
	t.rounds++
	t.lost += len(r.report.Missing)
	t.inversions += len(r.report.Inversions)
	t.foreign += len(r.report.Foreign)
	t.changed += len(r.report.Changed)
	t.repeats += r.report.Repeats()
	if len(r.problems) > 0 {
		t.failed = append(t.failed, r.plan.seed)
	}
}

// String is the last line of a run.
func (t *tally) String() string {
	return fmt.Sprintf("rounds=%d lost=%d inversions=%d foreign=%d changed=%d repeats=%d",
		t.rounds, t.lost, t.inversions, t.foreign, t.changed, t.repeats)
}
