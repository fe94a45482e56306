package prune_test

import (
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// proven makes a rig with a row that is proven and too young to go.
func proven(t *testing.T) (r *rig, old func(*prune.Config)) {
	old = func(c *prune.Config) { c.Targets[0].Retention = time.Hour }
	r = started(t, tableDDL, old)
	r.insert(1)
	r.mustPass(old)
	r.want("1")
	return r, old
}

func TestMissingSlot(t *testing.T) {
	t.Parallel()
	r, _ := proven(t)
	r.dropSlot(r.slot)
	r.refused(r.pass(), replication.Human, "does not exist", "none is deleted")
	r.want("1")
}

func TestSlotOfAnotherDatabase(t *testing.T) {
	t.Parallel()
	r, _ := proven(t)
	other := newRig(t, tableDDL)
	other.createSlot(other.slot)
	r.refused(r.pass(func(c *prune.Config) { c.Slots[0].Name = other.slot }), replication.Configuration, "belongs to database")
	r.want("1")
}

func TestUnfitSlots(t *testing.T) {
	t.Parallel()
	r, _ := proven(t)
	tests := []struct{ name, sql, want string }{
		{"physical", `SELECT pg_create_physical_replication_slot($1, true)`, "not logical"},
		{"temporary", `SELECT pg_create_logical_replication_slot($1, 'pgoutput', true)`, "temporary"},
		{"plugin", `SELECT pg_create_logical_replication_slot($1, 'test_decoding')`, "output plugin"},
	}
	for i, tt := range tests {
		name := r.slot + string(rune('a'+i))
		r.exec(tt.sql, name)
		err := r.pass(func(c *prune.Config) { c.Slots = append(c.Slots, prune.Slot{Name: name, Publication: "pub"}) })
		r.refused(err, replication.Configuration, tt.want)
		r.dropSlot(name)
	}
	r.want("1")
}

func TestLostSlot(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{Settings: map[string]string{"max_slot_wal_keep_size": "1MB", "min_wal_size": "32MB", "max_wal_size": "32MB"}})
	r := rigOn(t, pgtest.CreateDB(t, server), tableDDL)
	r.createSlot(r.slot)
	r.mustPass()
	r.insert(1)
	for one[string](r, `SELECT wal_status FROM pg_replication_slots WHERE slot_name = $1`, r.slot) != "lost" {
		r.exec(`SELECT pg_switch_wal()`)
		r.exec(`CREATE TABLE IF NOT EXISTS filler (x int)`)
		r.exec(`INSERT INTO filler SELECT generate_series(1, 1000)`)
		r.exec(`CHECKPOINT`)
	}
	r.refused(r.pass(), replication.Human, "is lost")
	r.want("1")
}

// The new slot's confirmed position is past the row that no slot carried.
func TestSlotMadeAnew(t *testing.T) {
	t.Parallel()
	r, _ := proven(t)
	r.dropSlot(r.slot)
	r.insert(2)
	r.createSlot(r.slot)
	r.insert(3)
	r.mustPass()
	r.want("2 3")
	r.insert(4)
	r.mustPass()
	r.want("2 3")
	if !contains(r.log.String(), "made anew") {
		t.Errorf("the gap was not told:\n%s", r.log)
	}
}

// The slot goes and comes back while the pruner waits for it, after it was checked.
func TestSlotMadeAnewDuringTheWait(t *testing.T) {
	t.Parallel()
	r := started(t, tableDDL)
	r.insert(1)
	done := make(chan error, 1)
	c := r.config()
	go func() { done <- prune.New(c).Run(r.ctx()) }()
	r.until(`SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'pruner' AND query ~ 'query_start')`)
	r.dropSlot(r.slot)
	r.insert(2)
	r.createSlot(r.slot)
	stop := r.follow()
	err := <-done
	stop()
	if err == nil {
		t.Error("the pass succeeded")
	}
	r.mustPass()
	r.want("1 2")
}

// Without the right to stamp, what the slot's reader and its positions show is all there is.
func TestSlotMadeAnewWithoutStamps(t *testing.T) {
	t.Parallel()
	r := newRig(t, tableDDL)
	r.createSlot(r.slot)
	role := r.role()
	passes := func() { // a pass in which restart_lsn moves on shows nothing, and fails
		t.Helper()
		stop := r.follow()
		defer stop()
		for range 20 {
			if err := r.pass(role); err == nil {
				return
			}
		}
		t.Fatalf("no pass succeeded\n%s", r.log)
	}
	passes()
	r.insert(1)
	passes()
	r.dropSlot(r.slot)
	r.insert(2)
	r.createSlot(r.slot)
	passes()
	if got := r.ids(); got != "2" && got != "1 2" { // 1 stays if its pass was not the one after the first
		t.Errorf("rows %q are left, want 2\n%s", got, r.log)
	}
	if got := one[bool](r, `SELECT stats_reset IS NULL FROM pg_stat_replication_slots WHERE slot_name = $1`, r.slot); !got {
		t.Error("the slot is stamped")
	}
}

func TestSeveralSlots(t *testing.T) {
	t.Parallel()
	second := ""
	both := func(c *prune.Config) { c.Slots = append(c.Slots, prune.Slot{Name: second, Publication: "pub"}) }
	r := newRig(t, tableDDL)
	second = r.slot + "_two"
	r.createSlot(r.slot)
	r.createSlot(second)
	stop := r.follow(r.slot, second)
	if err := r.pass(both); err != nil {
		t.Fatal(err)
	}
	stop()
	r.insert(1)
	stop = r.follow(r.slot)
	r.refused(r.pass(both, func(c *prune.Config) { c.ConfirmTimeout = time.Second }), replication.Transient, second)
	stop()
	r.want("1")
	stop = r.follow(r.slot, second)
	defer stop()
	if err := r.pass(both); err != nil {
		t.Fatal(err)
	}
	r.want("")
}

// A slot that is named later proves nothing for what is there already.
func TestSlotNamedLater(t *testing.T) {
	t.Parallel()
	r, old := proven(t)
	second := r.slot + "_two"
	r.createSlot(second)
	both := func(c *prune.Config) { c.Slots = append(c.Slots, prune.Slot{Name: second, Publication: "pub"}) }
	stop := r.follow(r.slot, second)
	defer stop()
	if err := r.pass(both, old); err != nil {
		t.Fatal(err)
	}
	r.insert(2)
	if err := r.pass(both); err != nil {
		t.Fatal(err)
	}
	r.want("1")
}

func TestSlotsThatWereNotNamed(t *testing.T) {
	t.Parallel()
	r := newRig(t, tableDDL)
	r.createSlot(r.slot)
	for _, name := range []string{"warehouse_" + r.slot[6:], r.slot + "_snapshot"} {
		r.createSlot(name)
		stop := r.follow()
		err := r.pass()
		stop()
		if name == r.slot+"_snapshot" {
			r.refused(err, replication.Transient, "snapshot is not finished")
		} else if err != nil {
			t.Fatal(err)
		}
		if want := `"slot":"` + name; err == nil && !contains(r.log.String(), want) {
			t.Errorf("log lacks %q:\n%s", want, r.log)
		}
	}
}

// A slot dropped in the middle of a walk stops it.
func TestSlotDroppedDuringTheWalk(t *testing.T) {
	t.Parallel()
	r := started(t, tableDDL)
	r.exec(`INSERT INTO outbox (id) SELECT generate_series(1, 1000)`)
	done := make(chan error, 1)
	c := r.config(func(c *prune.Config) { c.Pause = 20 * time.Millisecond })
	stop := r.follow()
	r.settle()
	go func() { done <- prune.New(c).Run(r.ctx()) }()
	r.until(`SELECT count(*) < 1000 FROM outbox`)
	stop()
	r.dropSlot(r.slot)
	left := one[int](r, `SELECT count(*) FROM outbox`)
	if err := <-done; err == nil {
		t.Error("the pass succeeded")
	}
	if now := one[int](r, `SELECT count(*) FROM outbox`); now < left-10 || now == 0 { // one batch may have been under way
		t.Errorf("%d rows are left, %d were when the slot had gone", now, left)
	}
}
