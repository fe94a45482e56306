package proof_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/proof"
)

func TestContinues(t *testing.T) {
	t.Parallel()
	before := proof.Sighting{System: "s", Timeline: "1", Flushed: 100, Restart: 50, Confirmed: 60, Stamp: "noon", Sender: "7 noon"}
	tests := []struct {
		name string
		now  proof.Sighting
		want bool
	}{
		{"same stamp", proof.Sighting{System: "s", Timeline: "1", Restart: 500, Stamp: "noon"}, true},
		{"another stamp", proof.Sighting{System: "s", Timeline: "1", Restart: 500, Stamp: "one"}, false},
		{"no stamp", proof.Sighting{System: "s", Timeline: "1", Restart: 500}, false},
		{"same sender", proof.Sighting{System: "s", Timeline: "1", Restart: 500, Sender: "7 noon"}, true},
		{"another sender", proof.Sighting{System: "s", Timeline: "1", Restart: 500, Sender: "8 noon"}, false},
		{"older than what was flushed", proof.Sighting{System: "s", Timeline: "1", Restart: 99}, true},
		{"as young as what was flushed", proof.Sighting{System: "s", Timeline: "1", Restart: 100}, false},
		{"without position", proof.Sighting{System: "s", Timeline: "1"}, false},
		{"another timeline", proof.Sighting{System: "s", Timeline: "2", Restart: 99}, false},
		{"another timeline, copied", proof.Sighting{System: "s", Timeline: "2", Restart: 99, Synced: true}, true},
		{"another timeline, copied later", proof.Sighting{System: "s", Timeline: "2", Restart: 100, Synced: true}, false},
		{"another system", proof.Sighting{System: "x", Timeline: "1", Restart: 99, Stamp: "noon", Sender: "7 noon"}, false},
	}
	for _, tt := range tests {
		if got := tt.now.Continues(before); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if (proof.Sighting{System: "s"}).Continues(proof.Sighting{System: "s"}) {
		t.Error("two slots of which nothing is known are taken for the same")
	}
}
