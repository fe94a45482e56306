package prune_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "seed of TestNothingUnrelayedGoes; 0 takes a new one")
	stepsFlag = flag.Int("steps", 150, "steps of TestNothingUnrelayedGoes for each way to tell age")
)

// world is a history of an outbox that chance makes, and what is true about it.
type world struct {
	*rig
	rand    *rand.Rand
	change  func(*prune.Config)
	slots   []string
	writers []*writer
	table   string // into which they write
	next    int64
	updates int // weight of updates, from which only a row's own time protects

	committed map[int64]bool
	relayed   map[string]map[int64]bool // by slot
	trail     []string                  // what was done, for a failure
	passes    int
	gone      int
}

// writer is a connection with a transaction that may be open.
type writer struct {
	conn *pgx.Conn
	ids  []int64 // inserted in the open transaction; nil if none is open
}

// TestNothingUnrelayedGoes lets writers, readers, slots, publication, table, server and pruner do as chance will, and
// looks after each pass whether a committed row is gone that some slot's reader has not received.
func TestNothingUnrelayedGoes(t *testing.T) {
	t.Parallel()
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("go test -run TestNothingUnrelayedGoes -args -seed %d", seed)
	ages := map[string]struct {
		change  func(*prune.Config)
		updates int
	}{"observed": {func(*prune.Config) {}, 0}, "column": {byColumn, 6}}
	for name, age := range ages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed, age.change)
			w.updates = age.updates
			for range *stepsFlag {
				w.step()
				if t.Failed() {
					t.Fatalf("seed %d, after:\n%v", seed, w.trail[max(0, len(w.trail)-40):])
				}
			}
			t.Logf("%d passes succeeded, %d rows went, %d stayed", w.passes, w.gone, len(w.there()))
			if w.gone == 0 && w.db.Server.Major() >= 15 {
				t.Errorf("seed %d: no row ever went, so that nothing was tested", seed)
			}
		})
	}
}

func newWorld(t *testing.T, seed uint64, change func(*prune.Config)) *world {
	// The server ends every recovery with a new timeline if the test asks for one (promote).
	server := pgtest.New(t, pgserver.Config{Settings: map[string]string{"restore_command": "/bin/false", "max_prepared_transactions": "5"}})
	r := anyRig(t, pgtest.CreateDB(t, server), tableDDL)
	w := &world{rig: r, rand: rand.New(rand.NewPCG(seed, 1)), change: change, slots: []string{r.slot}, table: "outbox", committed: map[int64]bool{}, relayed: map[string]map[int64]bool{}}
	if seed%2 == 0 {
		w.slots = append(w.slots, r.slot+"_two")
	}
	for _, s := range w.slots {
		r.createSlot(s)
		w.relayed[s] = map[int64]bool{}
	}
	for range 3 {
		w.writers = append(w.writers, &writer{conn: r.db.Connect(t)})
	}
	return w
}

// step does one thing; the weights are such that rows do get proven in between.
func (w *world) step() {
	choices := []struct {
		weight int
		name   string
		do     func()
	}{
		{30, "write", w.write}, {20, "end a transaction", w.end}, {15, "relay a little", w.relayLittle}, {20, "prune after relay", w.pruneCaughtUp},
		{10, "prune", func() { w.prune(false) }}, {10, "prune while others go on", func() { w.prune(true) }},
		{4, "drop slot", w.drop}, {12, "make slot", w.make}, {2, "table out and in", w.outAndIn}, {3, "table away and back", w.awayAndBack}, {1, "rewrite", w.rewrite},
		{w.updates, "update", w.update}, {1, "crash", w.crash}, {1, "restart", w.restart}, {1, "promote", w.promote},
	}
	total := 0
	for _, c := range choices {
		total += c.weight
	}
	n := w.rand.IntN(total)
	for _, c := range choices {
		if n -= c.weight; n < 0 {
			w.trail = append(w.trail, c.name)
			c.do()
			return
		}
	}
}

// pruneCaughtUp makes a pass that has a chance to prove something: nothing is under way, and all has been relayed.
func (w *world) pruneCaughtUp() {
	w.endAll()
	for _, s := range w.slots {
		w.take(s, 0)
	}
	w.prune(true)
}

// prune makes a pass and judges it. With others, readers and a writer go on meanwhile.
func (w *world) prune(others bool) {
	w.t.Helper()
	before := len(w.there())
	cfg := w.config(w.change, func(c *prune.Config) {
		c.BatchSize = 1 + w.rand.IntN(20)
		c.ConfirmTimeout = 0
		if others {
			c.ConfirmTimeout = time.Second
		}
		c.Slots = nil
		for _, s := range w.slots {
			c.Slots = append(c.Slots, prune.Slot{Name: s, Publication: "pub"})
		}
	})
	done := make(chan error, 1)
	ctx := w.ctx()
	go func() { done <- prune.New(cfg).Run(ctx) }()
	err, over := error(nil), false
	for i := 0; others && !over; i++ {
		for _, s := range w.slots {
			w.take(s, 0)
		}
		if i < 3 && w.rand.IntN(3) == 0 {
			w.write()
		}
		if i < 2 && w.rand.IntN(20) == 0 {
			w.trail = append(w.trail, "drop and make in the middle")
			w.drop()
			w.make()
		}
		select {
		case err = <-done:
			over = true
		case <-time.After(5 * time.Millisecond):
		}
	}
	if !over {
		err = <-done
	}
	w.trail = append(w.trail, fmt.Sprintf("(pass: %v)", err))
	if err == nil {
		w.passes++
	}
	w.judge()
	w.gone += max(0, before-len(w.there()))
}

// judge looks for rows that are gone and were not relayed by every slot.
func (w *world) judge() {
	w.t.Helper()
	there := w.there()
	for id := range w.committed {
		if there[id] {
			continue
		}
		for _, s := range w.slots {
			if !w.relayed[s][id] {
				w.t.Errorf("row %d is gone, and slot %s never carried it", id, s)
			}
		}
	}
}

func (w *world) there() map[int64]bool {
	w.t.Helper()
	ids := one[[]int64](w.rig, `SELECT coalesce(array_agg(id), '{}') FROM outbox`)
	there := make(map[int64]bool, len(ids))
	for _, id := range ids {
		there[id] = true
	}
	return there
}
