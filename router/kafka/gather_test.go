package kafka

import (
	"testing"
	"time"
)

func TestGather(t *testing.T) {
	t.Parallel()
	now := time.UnixMicro(1_000_000_000_000_000)
	ago := func(d time.Duration) int64 { return now.Add(-d).UnixMicro() }
	for _, test := range []struct {
		name      string
		committed []int64
		small     bool
		want      bool
	}{
		{"a live event", []int64{ago(time.Millisecond)}, true, false},
		{"a late one", []int64{ago(time.Minute)}, true, true},
		{"a late one in a full request", []int64{ago(time.Minute)}, false, false},
		{"one that is late by no more than the limit", []int64{ago(lateAfter)}, true, false},
		{"live again", []int64{ago(time.Minute), ago(0)}, true, false},
		{"an event of unknown age behind a late one", []int64{ago(time.Minute), 0}, true, true},
		{"an event of unknown age", []int64{0}, true, false},
		{"a clock that is ahead", []int64{ago(-time.Minute)}, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var g gather
			for _, c := range test.committed {
				g.note(c, now)
			}
			g.sent(test.small, now)
			if got := g.rests(now); got != test.want {
				t.Errorf("rests: %t, want %t", got, test.want)
			}
			if g.rests(now.Add(gatherFor)) {
				t.Errorf("it still rests %v later", gatherFor)
			}
		})
	}
}
