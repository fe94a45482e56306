package replication_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/replication"
)

func TestSynchronousTrap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		names string
		want  bool
	}{
		{"", false},
		{"*", true},
		{"standby1, standby2", false},
		{`standby1, "outbox-relay@db"`, true},
		{`FIRST 1 (standby1, "Outbox-Relay@db")`, true},
		{"ANY 2 (a, b, *)", true},
		{"2 (a, b)", false},
		{`ANY 1 ( "outbox-relay@other" ) `, false},
	}
	for _, test := range tests {
		s := replication.Survey{Settings: map[string]string{"synchronous_standby_names": test.names}}
		if got := s.SynchronousTrap("outbox-relay@db"); got != test.want {
			t.Errorf("%q: got %t", test.names, got)
		}
	}
}

func TestRemedyTellsWhatToRun(t *testing.T) {
	t.Parallel()
	r := &replication.Remedy{Err: replication.ErrStreamEnded, SQL: []string{"SELECT 1", "SELECT 2"}, Then: "restart the server"}
	want := "the server ended the stream; run: SELECT 1; SELECT 2; then restart the server"
	if r.Error() != want || r.Unwrap() != replication.ErrStreamEnded {
		t.Errorf("got %q", r.Error())
	}
}
