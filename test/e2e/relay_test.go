package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

const (
	startTimeout = 30 * time.Second // from the start of a process to its first stream, on a busy machine
	stopTimeout  = 40 * time.Second // above the default of shutdown.timeout
)

// relay is one relay process.
type relay struct {
	*procs.Proc
	addr string // of its HTTP endpoint
}

// args are the arguments of a relay over the rig. Later ones win, so extra ones can replace them.
func (r *rig) args(extra ...string) []string {
	return append([]string{
		"-database.url", r.db.DSN, "-slot.name", r.slot, "-bootstrap.servers", r.bootstrap, "-web.listen-address", "127.0.0.1:0",
	}, extra...)
}

// launch starts a relay process and does not wait for anything.
func (r *rig) launch(t testing.TB, extra ...string) *relay {
	t.Helper()
	config := procs.Config{Path: r.path, Args: r.args(extra...), Env: []string{haltAtRace}}
	p := &relay{Proc: proctest.StartProgram(t, config)}
	t.Cleanup(func() { p.showRace(t) })
	return p
}

// showRace puts the race detector's report, which is longer than the tail that a failed test gets, into the test's log.
func (p *relay) showRace(t testing.TB) {
	_, report, found := strings.Cut(p.Stderr(), "WARNING: DATA RACE")
	if !found {
		return
	}
	lines := strings.SplitAfter(report, "\n")
	t.Errorf("data race in the relay:%s", strings.Join(lines[:min(len(lines), 100)], ""))
}

// start starts a relay and waits until its HTTP endpoint is there.
func (r *rig) start(t testing.TB, extra ...string) *relay {
	t.Helper()
	p := r.launch(t, extra...)
	line := p.await(t, 0, "outbox-relay started")
	addr, ok := procs.LineField(line.Text, "listen")
	if !ok {
		t.Fatalf("no address in the first line: %s", line.Text)
	}
	p.addr = addr
	return p
}

// stream starts a relay and waits until it streams.
func (r *rig) stream(t testing.TB, extra ...string) *relay {
	t.Helper()
	p := r.start(t, extra...)
	p.await(t, 0, "streaming")
	return p
}

// whileRunning is a bounded context that ends with the relay, too.
func (p *relay) whileRunning(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancelCause(wait.Context(t, d))
	over := make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-p.Done():
			cancel(errors.New("the relay has ended"))
		case <-ctx.Done():
		}
	}()
	t.Cleanup(func() {
		cancel(nil)
		<-over
	})
	return ctx
}

// await waits for a log message from line number mark on.
func (p *relay) await(t testing.TB, mark int, message string) procs.Line {
	t.Helper()
	line, err := p.WaitLog(wait.Context(t, startTimeout), mark, procs.Field("message", message))
	if err != nil {
		t.Fatalf("wait for the message %q: %v", message, err)
	}
	return line
}

// awaitEnd waits for the end of the process and returns its exit code.
func (p *relay) awaitEnd(t testing.TB, within time.Duration) int {
	t.Helper()
	code, err := p.Wait(wait.Context(t, within))
	if err != nil {
		t.Fatalf("wait for the relay's end: %v", err)
	}
	return code
}

// stop sends SIGTERM and demands exit code 0.
func (p *relay) stop(t testing.TB) {
	t.Helper()
	p.signal(t, syscall.SIGTERM)
	if code := p.awaitEnd(t, stopTimeout); code != 0 {
		t.Fatalf("exit code %d after SIGTERM, want 0; last lines:\n%s", code, p.Tail(20))
	}
}

func (p *relay) signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	if err := p.Signal(sig); err != nil {
		t.Fatalf("send %v: %v; last lines:\n%s", sig, err, p.Tail(20))
	}
}

// kill ends a relay that must be running with SIGKILL.
func (p *relay) kill(t testing.TB) {
	t.Helper()
	if !p.Running() {
		t.Fatalf("the relay ended by itself; last lines:\n%s", p.Tail(40))
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
}

// awaitReady waits until /readyz is green.
func (p *relay) awaitReady(t testing.TB) {
	t.Helper()
	if _, err := procs.WaitStatus(wait.Context(t, startTimeout), p.addr, "/readyz", http.StatusOK); err != nil {
		t.Fatal(err)
	}
}

// awaitRed waits until /readyz is red and returns the reasons.
func (p *relay) awaitRed(t testing.TB, within time.Duration) string {
	t.Helper()
	body, err := procs.WaitStatus(wait.Context(t, within), p.addr, "/readyz", http.StatusServiceUnavailable)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// get returns the body of an HTTP endpoint.
func (p *relay) get(t testing.TB, path string) string {
	t.Helper()
	_, body, err := procs.Get(wait.Context(t, startTimeout), p.addr, path)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// status is the part of /status that tests look at.
type status struct {
	State        string `json:"state"`
	Ready        bool   `json:"ready"`
	ConfirmedLSN string `json:"confirmed_lsn"`
	Unacked      struct {
		Events int `json:"events"`
	} `json:"unacked"`
}

func (p *relay) status(ctx context.Context) (status, error) {
	var s status
	code, body, err := procs.Get(ctx, p.addr, "/status")
	if err != nil {
		return s, err
	}
	if code != http.StatusOK {
		return s, errors.New(http.StatusText(code))
	}
	return s, json.Unmarshal(body, &s)
}

// awaitStatus waits until /status is as wanted.
func (p *relay) awaitStatus(t testing.TB, what string, wanted func(status) bool) {
	t.Helper()
	eventually(t, startTimeout, func(ctx context.Context) error {
		s, err := p.status(ctx)
		if err == nil && !wanted(s) {
			err = errors.New("it is not so yet")
		}
		return wrap(err, "wait until /status shows %s (is %+v)", what, s)
	})
}

// checkPeakMemory demands that the relay never held more than limit bytes. It must run.
func (p *relay) checkPeakMemory(t testing.TB, limit int64) {
	t.Helper()
	peak, err := p.PeakRSS()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("peak memory of the relay: %.1f MB", float64(peak)/(1<<20))
	if peak > limit {
		t.Errorf("peak memory of the relay is %.1f MB, want at most %.1f MB", float64(peak)/(1<<20), float64(limit)/(1<<20))
	}
}
