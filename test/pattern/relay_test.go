package pattern_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// impatient makes every time limit of the relay a short one, so that a test of seconds outlasts them all.
var impatient = []string{
	"-request.timeout.ms", "500", "-retry.backoff.ms", "20", "-retry.backoff.max.ms", "200", "-metadata.max.age.ms", "500",
	"-status.update.interval.ms", "200", "-ready.max-age", "1s",
}

// relay is one process of the relay.
type relay struct {
	*procs.Proc
	addr string // of its HTTP endpoint
}

// relay starts the relay's program on the stand and waits until it streams.
func (s *stand) relay(t testing.TB) *relay {
	t.Helper()
	return startRelay(t, s.proxied(t), s.kafka.Addr(), append([]string{"-table.fields.additional.placement", "sequence:header"}, impatient...)...)
}

func startRelay(t testing.TB, dsn, brokers string, extra ...string) *relay {
	t.Helper()
	args := append([]string{
		"-database.url", dsn, "-slot.name", slot, "-table.include.list", "public.outbox",
		"-bootstrap.servers", brokers, "-web.listen-address", "127.0.0.1:0", "-log.format", "json",
	}, extra...)
	r := &relay{Proc: proctest.Start(t, args, nil)}
	r.addr, _ = procs.LineField(r.await(t, 0, "outbox-relay started").Text, "listen")
	r.await(t, 0, "streaming")
	return r
}

// await waits for a message of the log, from line number mark on.
func (r *relay) await(t testing.TB, mark int, message string) procs.Line {
	t.Helper()
	line, err := r.WaitLog(wait.Context(t, patience), mark, procs.Field("message", message))
	must(t, "wait for the message "+message, err)
	return line
}

// awaitUnacked waits until the relay has read so many events that Kafka has not acknowledged.
func (r *relay) awaitUnacked(t testing.TB, n int) {
	t.Helper()
	wait.Until(t, patience, fmt.Sprintf("%d events are under way", n), func(ctx context.Context) error {
		var status struct {
			Unacked struct {
				Events int `json:"events"`
			} `json:"unacked"`
		}
		_, body, err := procs.Get(ctx, r.addr, "/status")
		if err == nil {
			err = json.Unmarshal(body, &status)
		}
		if err == nil && status.Unacked.Events != n {
			err = fmt.Errorf("%d are", status.Unacked.Events)
		}
		return err
	})
}

// awaitReady waits until /readyz is green, or red.
func (r *relay) awaitReady(t testing.TB, ready bool) {
	t.Helper()
	code := map[bool]int{true: http.StatusOK, false: http.StatusServiceUnavailable}[ready]
	_, err := procs.WaitStatus(wait.Context(t, patience), r.addr, "/readyz", code)
	must(t, "wait for the relay's readiness", err)
}

// kill is SIGKILL for a relay that must be running.
func (r *relay) kill(t testing.TB) {
	t.Helper()
	if !r.Running() {
		t.Fatal("the relay has ended by itself")
	}
	must(t, "kill the relay", r.Kill())
}

// stop is SIGTERM, after which the relay must end with exit code 0.
func (r *relay) stop(t testing.TB) {
	t.Helper()
	code, err := r.Stop(wait.Context(t, patience))
	must(t, "stop the relay", err)
	if code != 0 {
		t.Errorf("the relay ended with exit code %d", code)
	}
}
