package prune_test

import (
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// restartable is a world with nothing of chance in it.
func restartable(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, 1, func(*prune.Config) {})
	needStamps(t, w.db)
	w.mustPass()
	return w
}

// The stamp goes in a crash, but the slot's restart_lsn tells that it is the old one.
func TestCrashIsBridged(t *testing.T) {
	t.Parallel()
	w := restartable(t)
	w.insert(1)
	w.crash()
	w.mustPass()
	w.want("")
	if contains(w.log.String(), "made anew") {
		t.Errorf("a gap was told:\n%s", w.log)
	}
}

func TestRestartIsBridged(t *testing.T) {
	t.Parallel()
	w := restartable(t)
	w.insert(1)
	w.restart()
	w.mustPass()
	w.want("")
}

// On another timeline positions mean something else. What was proven before stays proven.
func TestPromotionIsNotBridged(t *testing.T) {
	t.Parallel()
	w := restartable(t)
	old := func(c *prune.Config) { c.Targets[0].Retention = time.Hour }
	w.insert(1)
	w.mustPass(old)
	w.insert(2)
	w.promoteAfter(pgserver.Immediate)
	w.insert(3)
	w.mustPass()
	w.want("2 3")
	w.insert(4)
	w.mustPass()
	w.want("2 3")
}

// A standby that was promoted without the slot: nothing goes, and a slot made there carries only what comes.
func TestPromotedWithoutTheSlot(t *testing.T) {
	t.Parallel()
	w := restartable(t)
	w.insert(1)
	w.dropSlot(w.slot)
	w.promote()
	w.refused(w.pass(), replication.Human, "does not exist")
	w.insert(2)
	w.createSlot(w.slot)
	w.mustPass()
	w.want("1 2")
}

// The daemon goes on after a crash of the server by itself.
func TestDaemonSurvivesACrash(t *testing.T) {
	t.Parallel()
	r := rigOn(t, pgtest.CreateDB(t, pgtest.New(t, pgserver.Config{})), tableDDL)
	r.createSlot(r.slot)
	r.mustPass()
	p := prune.New(r.config(func(c *prune.Config) {
		c.Once, c.Interval, c.ConfirmTimeout = false, 20*time.Millisecond, 10*time.Second
	}))
	ctx, stop := r.cancellable()
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	r.insert(1)
	follow := r.follow()
	r.until(`SELECT count(*) = 0 FROM outbox`)
	follow()
	if err := r.db.Server.Restart(r.ctx(), pgserver.Immediate); err != nil {
		t.Fatal(err)
	}
	r.conn = r.db.Connect(t)
	r.insert(2)
	follow = r.follow()
	r.until(`SELECT count(*) = 0 FROM outbox`)
	follow()
	if err := p.Live(); err != nil {
		t.Error(err)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("after the stop: %v", err)
	}
}

// A daemon stops at what only a person can mend.
func TestDaemonEndsWithoutItsSlot(t *testing.T) {
	t.Parallel()
	r := started(t, tableDDL)
	p := prune.New(r.config(func(c *prune.Config) { c.Once, c.Interval = false, 20*time.Millisecond }))
	done := make(chan error, 1)
	go func() { done <- p.Run(r.ctx()) }()
	follow := r.follow()
	for p.Ready() != nil {
		select {
		case err := <-done:
			t.Fatalf("ended: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	follow()
	r.dropSlot(r.slot)
	r.refused(<-done, replication.Human, "does not exist")
	if p.Ready() == nil {
		t.Error("ready without a slot")
	}
}
