package kafka

import (
	"testing"
	"time"
)

// Only late events are gathered, and only behind a request that has emptied the queues: otherwise small batches, or a
// partition with much to send, would get no more than one request in each rest.
func TestGather(t *testing.T) {
	t.Parallel()
	now := time.UnixMicro(1_000_000_000_000_000)
	for _, test := range []struct {
		name         string
		late         bool
		held, flying int
		moreLeft     bool
		want         bool
	}{
		{"late, and all under way", true, 30, 30, false, true},
		{"live", false, 30, 30, false, false},
		{"late, more is queued", true, 31, 30, false, false},
		{"late, more may be taken", true, 30, 30, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			first, second := &node{busy: true}, &node{busy: true}
			first.request.records, second.request.records = 10, test.flying-10
			idle := &node{}
			idle.request.records = 7 // of its last request
			s := &session{Producer: &Producer{nodes: []*node{first, idle, second}}, held: test.held, moreLeft: test.moreLeft}
			s.gather.late = test.late
			s.rest(now)
			if got := s.gather.rests(now); got != test.want {
				t.Errorf("rests: %t, want %t", got, test.want)
			}
			if s.gather.rests(now.Add(gatherFor)) {
				t.Errorf("it still rests %v later", gatherFor)
			}
		})
	}
}
