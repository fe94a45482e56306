package proof_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/proof"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// evidence shows slot a, with a stamp and a publication.
func evidence(stamp, ground string, leaves ...proof.Leaf) *proof.Evidence {
	e := &proof.Evidence{System: "s", Table: 1, At: start, Grounds: map[string]string{"a": ground}, Leaves: map[uint32]proof.Leaf{},
		Slots: map[string]proof.Sighting{"a": {System: "s", Timeline: "1", Flushed: 100, Restart: 500, Stamp: stamp}}}
	for i, l := range leaves {
		e.Leaves[uint32(i+1)] = l
	}
	return e
}

// round makes a mark with the same evidence before and after.
func round(t *testing.T, l *proof.Ledger, e *proof.Evidence, fresh, horizon proof.XID) (broken []string) {
	t.Helper()
	broken = l.Begin(e, fresh)
	if late := l.Finish(e.Slots, horizon, start, 0); late != nil {
		t.Fatalf("finish: slots %v are not those of the beginning", late)
	}
	return broken
}

func TestRangesGrowAndEnd(t *testing.T) {
	t.Parallel()
	l := &proof.Ledger{}
	for _, step := range []struct {
		name           string
		e              *proof.Evidence
		fresh, horizon proof.XID
		broken         bool
		want           []proof.Range
	}{
		{"first sight", evidence("x", "p"), 10, 12, false, []proof.Range{{From: 11, To: 12, Since: start}}},
		{"the same", evidence("x", "p"), 20, 21, false, []proof.Range{{From: 11, To: 21, Since: start}}},
		{"a horizon held back", evidence("x", "p"), 30, 15, false, []proof.Range{{From: 11, To: 21, Since: start}}},
		{"a new slot", evidence("y", "p"), 40, 41, true, []proof.Range{{From: 11, To: 21, Since: start}, {From: 41, To: 41, Since: start}}},
		{"a new publication, the empty range goes", evidence("y", "q"), 50, 55, true, []proof.Range{{From: 11, To: 21, Since: start}, {From: 51, To: 55, Since: start}}},
	} {
		if broken := round(t, l, step.e, step.fresh, step.horizon); (broken != nil) != step.broken {
			t.Errorf("%s: broken %v", step.name, broken)
		}
		if diff := cmp.Diff(step.want, l.Slots["a"].Ranges); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

func TestAnotherTableOrServerStartsAnew(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*proof.Evidence){
		"table":  func(e *proof.Evidence) { e.Table = 2 },
		"system": func(e *proof.Evidence) { e.System = "x" },
	} {
		l := &proof.Ledger{}
		round(t, l, evidence("x", "p"), 10, 20)
		e := evidence("x", "p")
		change(e)
		l.Begin(e, 30)
		if diff := cmp.Diff([]proof.Range{{From: 31, To: 31, Since: start}}, l.Slots["a"].Ranges); diff != "" {
			t.Errorf("another %s (-want +got):\n%s", name, diff)
		}
	}
}

// Unwatched for 2^30 transactions, or with numbers that went back, a ledger is worth nothing.
func TestStaleLedgerStartsAnew(t *testing.T) {
	t.Parallel()
	for _, fresh := range []proof.XID{10 + 1<<30 + 1, 9} {
		l := &proof.Ledger{}
		round(t, l, evidence("x", "p"), 10, 20)
		l.Begin(evidence("x", "p"), fresh)
		if got := l.Slots["a"].Ranges; len(got) != 1 || got[0].From != fresh+1 {
			t.Errorf("at %d: ranges %v", fresh, got)
		}
	}
}

func TestFinishRefusesAnotherSlot(t *testing.T) {
	t.Parallel()
	l := &proof.Ledger{}
	l.Begin(evidence("x", "p"), 10)
	if broken := l.Finish(evidence("y", "p").Slots, 20, start, 0); !slices.Equal(broken, []string{"a"}) {
		t.Errorf("broken %v, want a", broken)
	}
	if got := l.Confirmed([]string{"a"}); got != 0 {
		t.Errorf("confirmed up to %d, want nothing", got)
	}
}

func TestLeaves(t *testing.T) {
	t.Parallel()
	l := &proof.Ledger{}
	round(t, l, evidence("x", "p", proof.Leaf{Print: "1"}), 10, 20)
	round(t, l, evidence("x", "p", proof.Leaf{Print: "1"}, proof.Leaf{Print: "2", Born: 25}, proof.Leaf{Print: "3"}), 30, 40)
	want := map[uint32]proof.Leaf{1: {Print: "1"}, 2: {Print: "2", From: 26}, 3: {Print: "3", From: 31}}
	if diff := cmp.Diff(want, l.Leaves, cmpopts.IgnoreFields(proof.Leaf{}, "Born")); diff != "" {
		t.Errorf("new leaves (-want +got):\n%s", diff)
	}
	round(t, l, evidence("x", "p", proof.Leaf{Print: "1 rewritten", Born: 5}, proof.Leaf{Print: "2", Born: 25}, proof.Leaf{Print: "3"}), 50, 60)
	want = map[uint32]proof.Leaf{1: {Print: "1 rewritten", From: 51}, 2: {Print: "2", From: 26}, 3: {Print: "3", From: 31}}
	if diff := cmp.Diff(want, l.Leaves, cmpopts.IgnoreFields(proof.Leaf{}, "Born")); diff != "" {
		t.Errorf("a leaf that changed (-want +got):\n%s", diff)
	}
}

// A range does not go on over a change of a known leaf's name; one that is new, or that was rewritten anyhow, ends none.
func TestMovedLeafEndsRanges(t *testing.T) {
	t.Parallel()
	known := proof.Leaf{Print: "1", Ground: "a"}
	for _, tt := range []struct {
		name   string
		leaves []proof.Leaf
		broken bool
	}{
		{"moved", []proof.Leaf{{Print: "1", Ground: "b"}}, true},
		{"the same, and a new one", []proof.Leaf{known, {Print: "2", Ground: "b"}}, false},
		{"rewritten", []proof.Leaf{{Print: "1 rewritten", Ground: "b"}}, false},
		{"gone", nil, false},
	} {
		l := &proof.Ledger{}
		before, after := evidence("x", "p", known), evidence("x", "p", tt.leaves...)
		round(t, l, before, 10, 20)
		if broken := round(t, l, after, 30, 40); (broken != nil) != tt.broken {
			t.Errorf("%s: broken %v", tt.name, broken)
		}
		if before.Same(after) {
			t.Errorf("%s: passes for the same evidence", tt.name)
		}
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	l := &proof.Ledger{}
	l.Begin(evidence("x", "p"), 1)
	for i := range 100 {
		l.Finish(evidence("x", "p").Slots, proof.XID(10+i), start.Add(time.Duration(i)*time.Minute), 10*time.Minute)
	}
	if n := len(l.Marks); n > 12 {
		t.Errorf("%d marks, want one in about ten minutes of a hundred", n)
	}
	for _, tt := range []struct {
		at       time.Duration
		low, top proof.XID
		ok       bool
	}{{-time.Second, 0, 0, false}, {0, 10, 10, true}, {50 * time.Minute, 50, 60, true}, {99 * time.Minute, 109, 109, true}, {time.Hour * 9, 109, 109, true}} {
		to, ok := l.EndedBefore(start.Add(tt.at))
		if ok != tt.ok || to < tt.low || to > tt.top {
			t.Errorf("after %s everything below %d (%v) had ended, want %d to %d (%v)", tt.at, to, ok, tt.low, tt.top, tt.ok)
		}
	}
	l.Prune(start.Add(50 * time.Minute))
	if to, ok := l.EndedBefore(start.Add(50 * time.Minute)); !ok || to < 50 {
		t.Errorf("after pruning: %d, %v", to, ok)
	}
	if _, ok := l.EndedBefore(start.Add(30 * time.Minute)); ok {
		t.Error("a mark that is not needed was kept")
	}
	l.Finish(evidence("x", "p").Slots, 500, start.Add(20*time.Minute), 0) // the clock was set back
	if to, ok := l.EndedBefore(start.Add(time.Hour)); !ok || to != 500 {
		t.Errorf("after the clock was set back: %d, %v", to, ok)
	}
}

func TestLedgerIsJSON(t *testing.T) {
	t.Parallel()
	l := &proof.Ledger{}
	round(t, l, evidence("x", "p", proof.Leaf{Print: "1", Node: 3}), 1<<40, 1<<40+5)
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	got := &proof.Ledger{}
	if err := json.Unmarshal(text, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
