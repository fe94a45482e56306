package replication_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/replication"
)

func TestPrefixes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		include, exclude string
		enabled          bool
		in, out          []string
	}{
		{"", "", false, nil, []string{"", "outbox"}},
		{"outbox, x.*", "", true, []string{"outbox", "OUTBOX", "x", "xyz"}, []string{"", "my outbox", "outbox2"}},
		{"", "debug.*", true, []string{"", "outbox"}, []string{"debug", "Debugging"}},
		{`a\,b`, "", true, []string{"a,b"}, []string{"a", "b"}},
	}
	for _, tt := range tests {
		p := replication.Prefixes{Include: list(t, tt.include), Exclude: list(t, tt.exclude)}
		if p.Enabled() != tt.enabled {
			t.Errorf("%+v: enabled %t, want %t", p, p.Enabled(), tt.enabled)
		}
		for _, prefix := range tt.in {
			if !p.Match(prefix) {
				t.Errorf("include %q, exclude %q: %q is left out", tt.include, tt.exclude, prefix)
			}
		}
		for _, prefix := range tt.out {
			if p.Match(prefix) {
				t.Errorf("include %q, exclude %q: %q is in", tt.include, tt.exclude, prefix)
			}
		}
	}
}
