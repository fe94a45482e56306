package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// TestReadySoonAfterAFirstStart must not wait for a stale look at the catalog, from before the publication was made.
func TestReadySoonAfterAFirstStart(t *testing.T) {
	t.Parallel()
	p := newRig(t, setup{}).stream(t)
	if _, err := procs.WaitStatus(wait.Context(t, 8*time.Second), p.addr, "/readyz", http.StatusOK); err != nil {
		t.Error(err)
	}
}

// TestReadinessFollowsTheOutboxTable drops the table and makes it anew. The publication does not carry the new one, so
// its rows never reach the slot: a relay that shows green is wrong.
func TestReadinessFollowsTheOutboxTable(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	p := r.stream(t)
	p.awaitReady(t)
	conn := r.db.Connect(t)
	run(t, conn, `ALTER TABLE outbox RENAME TO old; CREATE TABLE outbox (LIKE old INCLUDING ALL); DROP TABLE old`)
	reason := p.awaitRed(t, 40*time.Second)
	for _, word := range []string{"outbox_relay", "public.outbox", "ALTER PUBLICATION"} {
		if !strings.Contains(reason, word) {
			t.Errorf("the reason does not contain %q: %s", word, reason)
		}
	}
	run(t, conn, `ALTER PUBLICATION outbox_relay ADD TABLE outbox`)
	if _, err := procs.WaitStatus(wait.Context(t, 40*time.Second), p.addr, "/readyz", http.StatusOK); err != nil {
		t.Error(err)
	}
}

// TestFrozenServerIsNoticed freezes PostgreSQL, as a link that went dead: nothing fails, and nothing comes. The relay
// must show it, give the connection up, and go on once the server is back.
func TestFrozenServerIsNoticed(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{})
	r := newRig(t, setup{server: server})
	consumer := r.consume(t)
	p := r.stream(t)
	p.awaitReady(t)
	if err := server.Pause(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Resume() })
	t.Logf("not ready: %s", p.awaitRed(t, 15*time.Second))
	line, err := p.WaitLog(wait.Context(t, time.Minute), 0, procs.Field("message", lostMessage))
	if err != nil {
		t.Fatal(err)
	}
	checkField(t, line, "reason", "silent")
	if err := server.Resume(); err != nil {
		t.Fatal(err)
	}
	p.awaitReady(t)
	rows := r.insertEach(t, "a")
	arrived(t, consumer, rows)
	p.stop(t)
	once(t, r.verdict(t, consumer, rows))
}

const lostMessage = "replication session lost, connecting again"

// TestLivenessDoesNotFollowTheBroker keeps supervisors from restarting relays during an outage of Kafka.
func TestLivenessDoesNotFollowTheBroker(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{bootstrap: deadBroker(t)})
	p := r.stream(t)
	p.awaitRed(t, startTimeout)
	if code, body, err := procs.Get(wait.Context(t, startTimeout), p.addr, "/livez"); err != nil || code != http.StatusOK {
		t.Errorf("/livez: status %d, %v: %s", code, err, body)
	}
}

// TestReconnectsAfterItsWalsenderWasTerminated is what pg_terminate_backend, a failover or a proxy does.
func TestReconnectsAfterItsWalsenderWasTerminated(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	consumer := r.consume(t)
	p := r.stream(t)
	rows := r.insertEach(t, "a")
	arrived(t, consumer, rows)
	conn := r.db.Connect(t)
	for range 3 {
		mark := p.Mark()
		before := r.slotNow(t, conn)
		run(t, conn, `SELECT pg_terminate_backend($1)`, before.pid)
		p.await(t, mark, "streaming")
		r.awaitSlot(t, conn, startTimeout, "read by another walsender", func(s slotState) bool { return s.active && s.pid != before.pid })
		rows = append(rows, r.insertEach(t, "a", "b")...)
	}
	renumber(rows)
	arrived(t, consumer, rows)
	p.stop(t)
	nothingLost(t, r.verdict(t, consumer, rows))
}

// TestFastShutdownDoesNotWaitForTheRelay: the server waits at its end until every walsender's client has confirmed all.
func TestFastShutdownDoesNotWaitForTheRelay(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		limit time.Duration
		setup func(t *testing.T) setup
		prep  func(t *testing.T, r *rig, p *relay)
	}{
		{"idle relay", 3 * time.Second, func(*testing.T) setup { return setup{} }, func(t *testing.T, r *rig, p *relay) {
			run(t, r.db.Connect(t), `CREATE TABLE other AS SELECT n FROM generate_series(1, 10000) n`)
		}},
		{"relay that waits for Kafka", 30 * time.Second, func(t *testing.T) setup { return setup{bootstrap: deadBroker(t)} }, func(t *testing.T, r *rig, p *relay) {
			r.insert(t, "a")
			p.awaitStatus(t, "one unacknowledged event", func(s status) bool { return s.Unacked.Events == 1 })
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := test.setup(t)
			s.server = pgtest.New(t, pgserver.Config{})
			r := newRig(t, s)
			p := r.stream(t)
			test.prep(t, r, p)
			began := time.Now()
			if err := s.server.Stop(wait.Context(t, test.limit), pgserver.Fast); err != nil {
				t.Errorf("fast shutdown did not end within %v: %v", test.limit, err)
			}
			t.Logf("fast shutdown took %v", time.Since(began))
		})
	}
}
