package e2e_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/procs"
)

const waitingMessage = "waiting for the replication slot"

// TestSpareSaysForWhomItWaitsAndTakesOver runs two relays on one slot and kills the one that streams.
func TestSpareSaysForWhomItWaitsAndTakesOver(t *testing.T) {
	r := newRig(t, setup{path: plainRelay(t)})
	consumer := r.consume(t)
	first := r.stream(t)
	rows := r.insertEach(t, "a", "b")
	arrived(t, consumer, rows)

	spare := r.start(t)
	line := spare.await(t, 0, waitingMessage)
	holder := r.slotNow(t, r.db.Connect(t))
	checkField(t, line, "pid", fmt.Sprint(holder.pid))
	checkField(t, line, "application_name", holder.application)
	if !strings.HasPrefix(holder.application, "outbox-relay") {
		t.Errorf("the holder's application_name is %q, want one that begins with outbox-relay", holder.application)
	}
	if reason := spare.awaitRed(t, startTimeout); !strings.Contains(reason, fmt.Sprint(holder.pid)) {
		t.Errorf("/readyz of the spare does not name pid %d: %s", holder.pid, reason)
	}

	killed := time.Now()
	first.kill(t)
	spare.await(t, 0, "streaming")
	if took := time.Since(killed); took > 2*time.Second {
		t.Errorf("the spare took over after %v, want at most 2s", took)
	}
	rows = append(rows, r.insertEach(t, "a", "b")...)
	renumber(rows)
	arrived(t, consumer, rows)
	spare.stop(t)
	nothingLost(t, r.verdict(t, consumer, rows))
}

// TestSpareTakesOverFromAFrozenRelay freezes the relay that streams, as a machine that hangs: the server notices after
// wal_sender_timeout. When it wakes up, it must not do any harm.
func TestSpareTakesOverFromAFrozenRelay(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	r.db.Exec(t, fmt.Sprintf(`ALTER DATABASE %s SET wal_sender_timeout = '3s'`, r.db.Name))
	consumer := r.consume(t)
	first := r.stream(t)
	rows := r.insertEach(t, "a")
	arrived(t, consumer, rows)
	spare := r.start(t)
	spare.await(t, 0, waitingMessage)

	first.signal(t, syscall.SIGSTOP)
	spare.await(t, 0, "streaming")
	rows = append(rows, r.insertEach(t, "a", "a")...)
	mark := first.Mark()
	first.signal(t, syscall.SIGCONT)
	first.await(t, mark, waitingMessage)
	rows = append(rows, r.insertEach(t, "a")...)
	renumber(rows)
	arrived(t, consumer, rows)
	first.stop(t)
	spare.stop(t)
	nothingLost(t, r.verdict(t, consumer, rows))
}

func checkField(t testing.TB, line procs.Line, name, want string) {
	t.Helper()
	if got, _ := procs.LineField(line.Text, name); got != want {
		t.Errorf("field %s is %q, want %q, in %s", name, got, want, line.Text)
	}
}
