package e2e_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/freeport"
)

// The exit codes, as the README promises them.
const (
	exitRestart = 1 // starting again may help
	exitConfig  = 2 // the configuration must change
	exitHuman   = 3 // a person must decide
)

// endTimeout is how long a relay that cannot work may take to end.
const endTimeout = 30 * time.Second

// mustEnd waits for the end of a relay and demands an exit code, and words in what it wrote to stderr.
func (p *relay) mustEnd(t testing.TB, code int, words ...string) {
	t.Helper()
	if got := p.awaitEnd(t, endTimeout); got != code {
		t.Errorf("exit code %d, want %d", got, code)
	}
	for _, word := range words {
		if !strings.Contains(p.Stderr(), word) {
			t.Errorf("stderr does not contain %q", word)
		}
	}
	if t.Failed() {
		t.Logf("stderr:\n%s", p.Stderr())
	}
}

// deadBroker is an address where no broker listens.
func deadBroker(t testing.TB) string {
	t.Helper()
	ports, err := freeport.Pick(1)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", ports[0])
}

// TestWrongConfigurationExitsWith2 covers what only another configuration can mend. None of it may be retried.
func TestWrongConfigurationExitsWith2(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{bootstrap: deadBroker(t)})
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	physical, weak := r.slot+"_physical", r.slot+"_weak"
	r.db.Exec(t, `SELECT pg_create_physical_replication_slot($1)`, physical)
	defer r.db.Exec(t, `SELECT pg_drop_replication_slot($1)`, physical)

	tests := []struct {
		name  string
		args  []string
		words []string
	}{
		{"several mistakes at once", []string{"-slot.nmae", "x", "-batch.size", "0", "-compression.type", "zip"}, []string{"slot.name", "batch.size", "compression.type"}},
		{"slot name that PostgreSQL refuses", []string{"-slot.name", "My-Slot"}, []string{"slot.name", "My-Slot"}},
		{"missing database", []string{"-database.dbname", "not_there"}, []string{"not_there"}},
		{"missing role", []string{"-database.user", "not_there"}, []string{"not_there"}},
		{"missing table", []string{"-table.include.list", "public.not_there"}, []string{"public.not_there", "-print-ddl"}},
		{"missing publication that may not be made", []string{"-publication.name", "not_there", "-publication.autocreate.mode", "disabled"}, []string{"not_there", "CREATE PUBLICATION"}},
		{"port of the HTTP endpoint is taken", []string{"-web.listen-address", taken.Addr().String()}, []string{taken.Addr().String(), "in use"}},
		{"slot is not logical", []string{"-slot.name", physical}, []string{physical, "not logical"}},
		{"role without REPLICATION", []string{"-database.user", weak}, []string{"ALTER ROLE", "REPLICATION"}},
		{"column of an option is missing", []string{"-table.field.event.key", "not_there"}, []string{"not_there"}},
	}
	r.db.Exec(t, `CREATE ROLE `+weak+` LOGIN`)
	defer r.db.Exec(t, `DROP ROLE `+weak)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r.launch(t, test.args...).mustEnd(t, exitConfig, test.words...)
		})
	}
}
