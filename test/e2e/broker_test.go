package e2e_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/load"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// outage is how long the broker is away, and redWithin how soon a relay must show it.
const (
	outage    = 30 * time.Second
	redWithin = 10 * time.Second
)

// TestRelayOutlastsTheBroker takes the broker away for 30 s while rows are written, more of them than the relay may
// hold. The relay must live on, show it, stay small, and go on by itself.
func TestRelayOutlastsTheBroker(t *testing.T) {
	tests := []struct {
		name     string
		leave    func(*kafkaserver.Cluster, context.Context) error
		comeBack func(*kafkaserver.Cluster, context.Context) error
	}{
		{"stopped in order", func(c *kafkaserver.Cluster, ctx context.Context) error { return c.Stop(ctx, 0) }, startBroker},
		{"killed", func(c *kafkaserver.Cluster, _ context.Context) error { return c.Kill(0) }, startBroker},
		{"frozen", func(c *kafkaserver.Cluster, _ context.Context) error { return c.Pause(0) }, thawBroker},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // with each other; nothing else runs beside them
			cluster := kafkatest.New(t, kafkaserver.Config{})
			r := newRig(t, setup{cluster: cluster, path: plainRelay(t)})
			consumer := r.consume(t)
			p := r.stream(t)
			w := r.traffic(t, load.Config{MaxRows: 50, PayloadBytes: 1000, RowsPerSecond: 1000, RollbackShare: 0.1})
			w.awaitMore(t, 2000)
			p.awaitReady(t)
			if err := test.leave(cluster, t.Context()); err != nil {
				t.Fatal(err)
			}
			p.endureOutage(t)
			if err := test.comeBack(cluster, wait.Context(t, time.Minute)); err != nil {
				t.Fatal(err)
			}
			w.awaitMore(t, 1000)
			w.stop(t)
			rows := r.committed(t)
			arrived(t, consumer, rows)
			p.awaitReady(t)
			p.checkPeakMemory(t, memoryLimit)
			p.stop(t)
			nothingLost(t, r.verdict(t, consumer, rows))
		})
	}
}

// endureOutage watches the relay while its broker is away. That it did not turn red in time is no reason to end the test.
func (p *relay) endureOutage(t *testing.T) {
	t.Helper()
	began := time.Now()
	reason, err := procs.WaitStatus(wait.Context(t, redWithin), p.addr, "/readyz", http.StatusServiceUnavailable)
	if err != nil {
		t.Errorf("/readyz did not turn red within %v: %v", redWithin, err)
	} else {
		t.Logf("not ready after %v: %s", time.Since(began), reason)
	}
	throughout(t, outage-time.Since(began), p.mustLive)
}

func thawBroker(c *kafkaserver.Cluster, _ context.Context) error { return c.Resume(0) }

func startBroker(c *kafkaserver.Cluster, ctx context.Context) error { return c.StartBroker(ctx, 0) }

// mustLive returns an error if the relay has ended or holds more than it may.
func (p *relay) mustLive(context.Context) error {
	if !p.Running() {
		return errors.New("the relay has ended")
	}
	_, err := p.RSS()
	return err
}
