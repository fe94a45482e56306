package e2e_test

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/test/faultproxy"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// stall is a way in which events stop flowing while no process ends and nobody gets an error.
type stall struct {
	name string
	idle bool // no event is on its way when it begins
	// begin makes it and returns how it ends; nil if the relay must get over it alone.
	begin func(t *testing.T, r *rig, c *kfake.Cluster, l *links) (end func())
	words string // that the reason must contain
	own   bool   // needs a server of its own
}

// stalls are those of issue 5, item 9. The lost slot is TestLostSlotExitsWith3, the frozen broker under load
// TestRelayOutlastsTheBroker.
func stalls() []stall {
	black := func(pick func(*links) *faultproxy.Proxy) func(*testing.T, *rig, *kfake.Cluster, *links) func() {
		return func(_ *testing.T, _ *rig, _ *kfake.Cluster, l *links) func() {
			pick(l).SetBoth(faultproxy.Faults{Stall: true})
			return pick(l).Heal
		}
	}
	forgotten := func(pick func(*links) *faultproxy.Proxy) func(*testing.T, *rig, *kfake.Cluster, *links) func() {
		return func(t *testing.T, _ *rig, _ *kfake.Cluster, l *links) func() {
			if pick(l).Forget() == 0 {
				t.Fatal("there was no connection to forget")
			}
			return nil
		}
	}
	postgres := func(l *links) *faultproxy.Proxy { return l.toPostgres }
	kafka := func(l *links) *faultproxy.Proxy { return l.toKafka }
	return []stall{
		{"connections to PostgreSQL are half-open", true, forgotten(postgres), "sent nothing", false},
		{"network to PostgreSQL swallows everything", true, black(postgres), "sent nothing", false},
		// On the shared server the clean-up of another test would thaw it.
		{"walsender is frozen", true, freezeWalsender, "sent nothing", true},
		{"connections to the broker are half-open, idle", true, forgotten(kafka), "broker", false},
		{"connections to the broker are half-open, busy", false, forgotten(kafka), "acknowledged", false},
		{"network to the broker swallows everything, idle", true, black(kafka), "broker", false},
		{"network to the broker swallows everything, busy", false, black(kafka), "acknowledged", false},
		{"too few replicas are in sync", false, refuseProduce(kerr.NotEnoughReplicas), "in-sync replicas", false},
	}
}

// TestWatchdogSeesEveryStall demands that readiness and the metric turn red within 10 s, that /livez stays green,
// because a restart would not help, and that events flow again by themselves afterwards, each once but for what was on
// its way.
func TestWatchdogSeesEveryStall(t *testing.T) {
	t.Parallel()
	for _, s := range stalls() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			var with setup
			if s.own {
				with.server = pgtest.New(t, pgserver.Config{})
			}
			r, cluster, l := newLinkedRig(t, with, partitions)
			consumer := r.consume(t)
			p := r.stream(t, append(l.args, "-request.timeout.ms", "12000")...)
			rows := r.insertEach(t, "a")
			arrived(t, consumer, rows)
			p.awaitReady(t)
			end := s.begin(t, r, cluster, l)
			if !s.idle {
				rows = append(rows, r.insert(t, "b"))
			}
			p.mustShowTheStall(t, s.words)
			if end != nil {
				end()
			}
			rows = append(rows, r.insert(t, "c"))
			renumber(rows)
			arrived(t, consumer, rows)
			p.awaitReady(t)
			p.stop(t)
			nothingLost(t, r.verdict(t, consumer, rows))
		})
	}
}

// TestWatchdogSeesOneHangingBroker lets one broker of two hang, so that only some keys stand still: the other goes on to
// acknowledge, which must not hide it.
func TestWatchdogSeesOneHangingBroker(t *testing.T) {
	t.Parallel()
	r, cluster := newSpreadRig(t)
	consumer := r.consume(t)
	conn := r.db.Connect(t)
	p := r.stream(t, "-table.fields.additional.placement", "part:partition")
	rows := []judge.Committed{r.insertInto(t, conn, 0), r.insertInto(t, conn, 1)}
	arrived(t, consumer, rows)
	p.awaitReady(t)
	h := holdProduce(t, cluster, func(partition int32) bool { return partition == 0 })
	rows = append(rows, r.insertInto(t, conn, 0))
	h.await(t)
	eventually(t, redWithin, func(ctx context.Context) error {
		rows = append(rows, r.insertInto(t, conn, 1))
		code, _, err := procs.Get(ctx, p.addr, "/readyz")
		if err == nil && code != http.StatusServiceUnavailable {
			err = errors.New("it is still green")
		}
		return err
	})
	p.mustShowTheStall(t, "a broker has not answered")
	h.release()
	renumber(rows)
	arrived(t, consumer, rows)
	p.awaitReady(t)
	p.stop(t)
	once(t, r.verdict(t, consumer, rows))
}

var notReady = regexp.MustCompile(`(?m)^outbox_relay_ready\{[^}]*\} 0$`)

// mustShowTheStall watches a relay from the moment on in which nothing flows any more.
func (p *relay) mustShowTheStall(t *testing.T, words string) {
	t.Helper()
	began := time.Now()
	reason := p.awaitRed(t, redWithin)
	t.Logf("red after %v: %s", time.Since(began).Round(time.Millisecond), reason)
	if !strings.Contains(reason, words) {
		t.Errorf("the reason does not contain %q: %s", words, reason)
	}
	if metrics := p.get(t, "/metrics"); !notReady.MatchString(metrics) {
		t.Error("outbox_relay_ready is not 0")
	}
	if code, body, err := procs.Get(wait.Context(t, startTimeout), p.addr, "/livez"); err != nil || code != http.StatusOK {
		t.Errorf("/livez: status %d, %v: %s", code, err, body)
	}
}

// freezeWalsender stops the server's process that serves the relay.
func freezeWalsender(t *testing.T, r *rig, _ *kfake.Cluster, _ *links) func() {
	pid := int(r.slotNow(t, r.db.Connect(t)).pid)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	thaw := func() { _ = syscall.Kill(pid, syscall.SIGCONT) } // it may have ended
	t.Cleanup(thaw)
	return thaw
}

// refuseProduce answers every produce request with an error, until the stall ends.
func refuseProduce(err *kerr.Error) func(*testing.T, *rig, *kfake.Cluster, *links) func() {
	return func(_ *testing.T, _ *rig, cluster *kfake.Cluster, _ *links) func() {
		return cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: err, Count: -1}).Remove
	}
}
