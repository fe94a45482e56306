package main

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/test/judge"
)

func TestTallyIsTheLastLine(t *testing.T) {
	t.Parallel()
	var sum tally
	sum.add(&round{})
	row := judge.Committed{ID: "a"}
	sum.add(&round{plan: plan{seed: 7}, problems: []string{"late"}, report: judge.Report{
		Missing: []judge.Committed{row, row}, Inversions: []judge.Inversion{{}}, Foreign: make([]judge.Record, 3),
		Changed: make([]judge.Change, 4), Repeated: []judge.Repeat{{ID: "a", Times: 3}},
	}})
	if got, want := sum.String(), "rounds=2 lost=2 inversions=1 foreign=3 changed=4 repeats=2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(sum.failed) != 1 || sum.failed[0] != 7 {
		t.Errorf("failed seeds %v, want 7", sum.failed)
	}
}
