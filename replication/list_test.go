package replication_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/replication"
)

func TestList(t *testing.T) {
	t.Parallel()
	tests := []struct {
		list, name string
		want       bool
	}{
		{"public.outbox", "public.outbox", true},
		{"public.outbox", "public.Outbox", true}, // Debezium ignores the case
		{"public.outbox", "public.outbox2", false},
		{"public.outbox", "other_public.outbox", false},
		{"public.outbox", "publicX.outbox", false},
		{`public\.outbox, billing\.(out|in)box`, "billing.inbox", true},
		{`.*\.outbox`, "any.outbox", true},
		{`public\.a\,b`, "public.a,b", true},
		{"public.outbox,", "public.outbox", true},
		{"public.o|x", "x.y", false}, // the whole expression is anchored
		{`(?!public\.).*\.outbox`, "tenant.outbox", true},
		{`(?!public\.).*\.outbox`, "public.outbox", false},
		{`(\w)\1\.outbox`, "aa.outbox", true},
		{`a\\,b`, "b", true},                       // the backslash is escaped, so the comma separates
		{"public.STRASSE", "public.straße", false}, // only ASCII folds
	}
	for _, tt := range tests {
		l, err := replication.ParseList(tt.list)
		if err != nil {
			t.Errorf("%q: %v", tt.list, err)
			continue
		}
		if got := l.Match(tt.name); got != tt.want {
			t.Errorf("%q matches %s: %t, want %t", tt.list, tt.name, got, tt.want)
		}
	}
}

func TestListRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"public.outbox,a(b": `"a(b"`, `a,b\`: "backslash"} {
		if _, err := replication.ParseList(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %s", text, err, want)
		}
	}
	empty, err := replication.ParseList(" , ")
	if err != nil || !empty.Empty() {
		t.Errorf("got %v, %v, want an empty list", empty, err)
	}
}
