package e2e_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// TestStopSucceedsWhereNothingIsUnacked sends SIGTERM to relays that hold nothing, in several kinds of trouble: each must
// end soon with exit code 0.
func TestStopSucceedsWhereNothingIsUnacked(t *testing.T) {
	t.Parallel()
	const soon = 5 * time.Second
	tests := []struct {
		name string
		up   func(t *testing.T) *relay
	}{
		{"idle", func(t *testing.T) *relay { return newRig(t, setup{}).stream(t) }},
		{"before the stream is up", func(t *testing.T) *relay { return newRig(t, setup{}).start(t) }},
		{"waiting for the slot", func(t *testing.T) *relay {
			r := newRig(t, setup{})
			r.stream(t)
			p := r.start(t)
			p.await(t, 0, waitingMessage)
			return p
		}},
		{"PostgreSQL went away", func(t *testing.T) *relay {
			r := newRig(t, setup{server: pgtest.New(t, pgserver.Config{})})
			p := r.stream(t)
			if err := r.server.Stop(wait.Context(t, startTimeout), pgserver.Fast); err != nil {
				t.Fatal(err)
			}
			p.await(t, 0, lostMessage)
			return p
		}},
		{"PostgreSQL is not there at the start", func(t *testing.T) *relay {
			r := newRig(t, setup{})
			p := r.start(t, "-database.url", "postgres://postgres@"+deadBroker(t)+"/x?sslmode=disable")
			p.await(t, 0, lostMessage)
			return p
		}},
		{"Kafka is away", func(t *testing.T) *relay {
			p := newRig(t, setup{bootstrap: deadBroker(t)}).stream(t)
			p.await(t, 0, "Kafka does not take records, retrying")
			return p
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := test.up(t)
			p.signal(t, syscall.SIGTERM)
			began := time.Now()
			if code := p.awaitEnd(t, stopTimeout); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
			if took := time.Since(began); took > soon {
				t.Errorf("the stop took %v, want at most %v", took, soon)
			}
		})
	}
}

// TestStopIsBoundedWhilePostgreSQLIsFrozen stops a relay whose last words nobody hears.
func TestStopIsBoundedWhilePostgreSQLIsFrozen(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{})
	r := newRig(t, setup{server: server, bootstrap: deadBroker(t)})
	p := r.stream(t)
	if err := server.Pause(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Resume() }) // or the database could not be dropped
	p.signal(t, syscall.SIGTERM)
	if code := p.awaitEnd(t, 10*time.Second); code != 0 && code != exitRestart {
		t.Errorf("exit code %d, want 0 or %d", code, exitRestart)
	}
}

// TestStopGivesUpAfterShutdownTimeout stops a relay that holds an event which Kafka cannot take. Exit code 0 would be a lie.
func TestStopGivesUpAfterShutdownTimeout(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{bootstrap: deadBroker(t)})
	p := r.stream(t, "-shutdown.timeout", "1s")
	r.insert(t, "a")
	p.awaitStatus(t, "one unacknowledged event", func(s status) bool { return s.Unacked.Events == 1 })
	p.signal(t, syscall.SIGTERM)
	began := time.Now()
	p.mustEnd(t, exitRestart, "shutdown.timeout")
	if took := time.Since(began); took < time.Second || took > 10*time.Second {
		t.Errorf("the stop took %v, want a little more than 1s", took)
	}
}

// TestSecondSignalEndsAtOnce does not wait for shutdown.timeout.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{bootstrap: deadBroker(t)})
	p := r.stream(t, "-shutdown.timeout", "1h")
	r.insert(t, "a")
	p.awaitStatus(t, "one unacknowledged event", func(s status) bool { return s.Unacked.Events == 1 })
	p.signal(t, syscall.SIGTERM)
	p.awaitStatus(t, "that it stops", func(s status) bool { return s.State == "stopping" })
	p.signal(t, syscall.SIGINT) // a second SIGTERM within a second would be taken for an echo of the first
	began := time.Now()
	p.mustEnd(t, exitRestart, "second signal")
	if took := time.Since(began); took > time.Second {
		t.Errorf("the end took %v after the second signal", took)
	}
}
