package database_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// The exit codes, as the README promises them.
const (
	exitConfig = 2 // the configuration must change
	exitHuman  = 3 // a person must decide
)

// relay is one process of the relay.
type relay struct {
	*procs.Proc
	addr string // of its HTTP endpoint
}

// launch starts a relay and waits for nothing.
func (r *rig) launch(t testing.TB, extra ...string) *relay {
	t.Helper()
	return r.launchIn(t, nil, extra...)
}

// launchIn is launch with more in the environment.
func (r *rig) launchIn(t testing.TB, env []string, extra ...string) *relay {
	t.Helper()
	args := append([]string{
		"-database.url", r.dsn, "-slot.name", r.db.Name, "-bootstrap.servers", r.bootstrap, "-route.topic.replacement", topic,
		"-table.include.list", "public.outbox", "-web.listen-address", "127.0.0.1:0", "-log.format", "json",
	}, extra...)
	return &relay{Proc: proctest.Start(t, args, env)}
}

// stream starts a relay and waits until it streams.
func (r *rig) stream(t testing.TB, extra ...string) *relay {
	t.Helper()
	p := r.launch(t, extra...)
	p.await(t, 0, "streaming")
	p.addr, _ = procs.LineField(p.await(t, 0, "outbox-relay started").Text, "listen")
	return p
}

// await waits for a message of the log, from line number mark on.
func (p *relay) await(t testing.TB, mark int, message string) procs.Line {
	t.Helper()
	line, err := p.WaitLog(wait.Context(t, patience), mark, procs.Field("message", message))
	if err != nil {
		t.Fatalf("wait for the message %q: %v", message, err)
	}
	return line
}

// mustEnd waits for the relay's end and demands an exit code, and words in what it wrote.
func (p *relay) mustEnd(t testing.TB, code int, words ...string) {
	t.Helper()
	proctest.MustEnd(t, p.Proc, patience, code, words...)
}

// mustTurnRed demands that /readyz turns red, for a reason with these words, and that the log has it as an error.
func (p *relay) mustTurnRed(t testing.TB, words ...string) {
	t.Helper()
	body := p.awaitRed(t)
	line := p.await(t, 0, "new rows may not be relayed")
	for _, word := range words {
		if !strings.Contains(body, word) || !strings.Contains(line.Text, word) {
			t.Errorf("not %q in both of\n%s\n%s", word, body, line.Text)
		}
	}
}

// awaitRed waits until /readyz is red and returns the reasons.
func (p *relay) awaitRed(t testing.TB) string {
	t.Helper()
	body, err := procs.WaitStatus(wait.Context(t, patience), p.addr, "/readyz", http.StatusServiceUnavailable)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func (p *relay) awaitReady(t testing.TB) {
	t.Helper()
	if _, err := procs.WaitStatus(wait.Context(t, patience), p.addr, "/readyz", http.StatusOK); err != nil {
		t.Fatal(err)
	}
}

// stop is SIGTERM, after which the relay must end with exit code 0.
func (p *relay) stop(t testing.TB) {
	t.Helper()
	code, err := p.Stop(wait.Context(t, patience))
	if err != nil || code != 0 {
		t.Fatalf("stop: exit code %d, %v", code, err)
	}
}

func (p *relay) signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	if err := p.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// dropSlot drops the rig's slot, once nobody reads it any more.
func (r *rig) dropSlot(t testing.TB) {
	t.Helper()
	wait.Until(t, patience, "the slot is dropped", func(ctx context.Context) error {
		var dropped int
		err := queryAt(ctx, r.db.DSN, `SELECT count(pg_drop_replication_slot(slot_name)) FROM pg_replication_slots WHERE slot_name = '`+r.db.Name+`'`, &dropped)
		if err != nil {
			return fmt.Errorf("drop the slot: %w", err)
		}
		return nil
	})
}
