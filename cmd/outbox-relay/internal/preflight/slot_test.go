package preflight

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/replication"
)

// Settings that only some servers have, or that a test cannot have on its own.
func TestKeeping(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		settings map[string]string
		warnings string // checks, separated by blanks
	}{
		{"no limit", map[string]string{"max_slot_wal_keep_size": "-1"}, "max_slot_wal_keep_size"},
		{"a limit", map[string]string{"max_slot_wal_keep_size": "51200"}, ""},
		{"idle timeout of 18", map[string]string{"max_slot_wal_keep_size": "51200", "idle_replication_slot_timeout": "86400"}, "idle_replication_slot_timeout"},
		{"no idle timeout of 18", map[string]string{"max_slot_wal_keep_size": "51200", "idle_replication_slot_timeout": "0"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var n notes
			n.keeping(&replication.Survey{Settings: test.settings})
			var got []string
			for _, f := range n.report {
				if f.Level == Warning {
					got = append(got, f.Check)
					if !strings.HasPrefix(f.Repair, "ALTER SYSTEM SET "+f.Check) || f.Then == "" {
						t.Errorf("no way out in %+v", f)
					}
				}
			}
			if strings.Join(got, " ") != test.warnings {
				t.Errorf("warnings %q, want %q", got, test.warnings)
			}
		})
	}
}

// A message is one line, and says nothing twice.
func TestOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain": "plain", "a\nb": "a; b", "tried:\n\tone\n\tone\n": "tried: one", "": "",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
