package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// plans are many, so that what may happen does.
func plans(brokers int) []plan {
	kinds := allKinds(brokers)
	all := make([]plan, 3000)
	for i := range all {
		all[i] = draw(uint64(i), kinds)
	}
	return all
}

func TestSameSeedSamePlan(t *testing.T) {
	t.Parallel()
	sameKind := cmp.Comparer(func(a, b *kind) bool { return a.name == b.name })
	options := cmp.Options{cmp.AllowUnexported(plan{}, fault{}), sameKind, cmpopts.EquateEmpty()}
	first, second := plans(3), plans(3)
	if diff := cmp.Diff(first, second, options); diff != "" {
		t.Errorf("the plans differ:\n%.2000s", diff)
	}
	if cmp.Diff(first[0], first[1], options) == "" {
		t.Error("two seeds give one plan")
	}
}

func TestEverythingIsDrawn(t *testing.T) {
	t.Parallel()
	drawn := map[string]int{}
	overlaps, long, snapshots := 0, 0, 0
	for _, p := range plans(3) {
		drawn[p.shape]++
		for _, f := range p.faults {
			drawn[f.kind.name]++
		}
		if len(p.faults) > 1 && p.faults[0].overlaps(p.faults[1]) {
			overlaps++
		}
		if p.patient {
			long++
		}
		if p.before > 0 {
			snapshots++
		}
	}
	for _, k := range allKinds(3) {
		if drawn[k.name] == 0 {
			t.Errorf("%s is never drawn", k.name)
		}
	}
	for _, s := range shapes {
		if drawn[s.name] == 0 {
			t.Errorf("%s is never drawn", s.name)
		}
	}
	if overlaps < 500 || long < 10 || long > 100 || snapshots < 100 {
		t.Errorf("of 3,000 rounds %d have faults at the same time, %d a long one, %d a snapshot", overlaps, long, snapshots)
	}
}

func (f fault) overlaps(other fault) bool {
	return f.at < other.at+other.lasts && other.at < f.at+f.lasts
}

// TestPlansCanBeDone: faults of one round do not heal each other, and all begin while the load goes on.
func TestPlansCanBeDone(t *testing.T) {
	t.Parallel()
	for _, p := range plans(1) {
		uses := map[string]bool{}
		for _, f := range p.faults {
			if uses[f.kind.uses] {
				t.Errorf("seed %d: two faults use the %s: %s", p.seed, f.kind.uses, &p)
			}
			uses[f.kind.uses] = true
			if f.at >= p.length || f.lasts <= 0 {
				t.Errorf("seed %d: %s in a load of %v", p.seed, f, p.length)
			}
		}
		if len(p.faults) == 0 {
			t.Errorf("seed %d: no fault", p.seed)
		}
		if p.patient && (len(p.faults) != 1 || !p.faults[0].kind.stops || p.faults[0].lasts <= redWithin+time.Second) {
			t.Errorf("seed %d: %s does not show whether readiness follows", p.seed, &p)
		}
	}
}
