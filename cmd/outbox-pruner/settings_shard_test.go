package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
)

func TestShardsStandForTheirSlots(t *testing.T) {
	t.Parallel()
	set, s := declare()
	if err := set.Parse([]string{"-slot.name", "a,b", "-publication.name", "p", "-shard.count", "2"}, nil); err != nil {
		t.Fatal(err)
	}
	want := []prune.Slot{{Name: "a_0_of_2", Publication: "p_0_of_2"}, {Name: "a_1_of_2", Publication: "p_1_of_2"}, {Name: "b_0_of_2", Publication: "p_0_of_2"}, {Name: "b_1_of_2", Publication: "p_1_of_2"}}
	if diff := cmp.Diff(want, s.prune.Slots); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
