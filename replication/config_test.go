package replication_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/replication"
)

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	err := (&replication.Config{Slot: "Upper", Publication: "", StatusInterval: -1}).Validate()
	for _, option := range []string{"slot.name", "publication.name", "table.include.list", "status.update.interval.ms"} {
		if err == nil || !strings.Contains(err.Error(), option) {
			t.Errorf("got %v, want it to name %s too", err, option)
		}
	}
}
