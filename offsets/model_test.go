package offsets_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/outbox-relay/outbox-relay/offsets"
)

// model answers the same questions by looking at everything that ever happened.
type model struct {
	start uint64
	items []item
}

// item is a transaction, or a keepalive (num 0).
type item struct {
	num     uint64
	end     uint64
	open    bool
	pending int
}

func (m *model) newest() *item {
	if len(m.items) == 0 {
		return nil
	}
	return &m.items[len(m.items)-1]
}

func (m *model) open() bool {
	n := m.newest()
	return n != nil && n.open
}

func (m *model) confirmed() uint64 {
	c := m.start
	for _, it := range m.items {
		if it.open || it.pending > 0 {
			break
		}
		c = max(c, it.end)
	}
	return c
}

func (m *model) unacked() (records int, oldest uint64) {
	for _, it := range m.items {
		if it.pending > 0 && oldest == 0 {
			oldest = it.num
		}
		records += it.pending
	}
	return records, oldest
}

// waiting lists the positions of transactions that an ack may name.
func (m *model) waiting() []int {
	var at []int
	for i, it := range m.items {
		if it.pending > 0 {
			at = append(at, i)
		}
	}
	return at
}

func TestTrackerEqualsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.Uint64Range(0, 1<<40).Draw(t, "start")
		tr := offsets.New(start)
		m := &model{start: start}
		lsn := start
		// Few acks fill the tracker up, many keep it almost empty: both shapes matter.
		ackWeight := rapid.IntRange(1, 8).Draw(t, "ack weight")
		steps := rapid.IntRange(1, 400).Draw(t, "steps")
		for range steps {
			before := tr.Confirmed()
			lsn = oneEvent(t, tr, m, lsn, ackWeight)
			compare(t, tr, m, before)
		}
		drain(t, tr, m)
	})
}

// oneEvent draws an event that is possible now, gives it to both, and returns
// the stream's new position.
func oneEvent(t *rapid.T, tr *offsets.Tracker, m *model, lsn uint64, ackWeight int) uint64 {
	if w := m.waiting(); len(w) > 0 && rapid.IntRange(0, 9).Draw(t, "ack?") < ackWeight {
		it := &m.items[rapid.SampledFrom(w).Draw(t, "which")]
		n := rapid.IntRange(1, it.pending).Draw(t, "n")
		tr.Ack(it.num, n)
		it.pending -= n
		return lsn
	}
	if rapid.IntRange(0, 4).Draw(t, "keepalive?") == 0 {
		at := lsn + rapid.Uint64Range(0, 50).Draw(t, "ahead")
		at -= min(at, rapid.Uint64Range(0, 20).Draw(t, "behind"))
		tr.Pass(at)
		if m.open() {
			return lsn
		}
		m.items = append(m.items, item{end: at})
		return max(lsn, at)
	}
	if !m.open() {
		m.items = append(m.items, item{num: tr.Begin(), open: true})
		return lsn
	}
	it := m.newest()
	if rapid.Bool().Draw(t, "row?") {
		n := rapid.IntRange(0, 3).Draw(t, "rows")
		tr.Add(n)
		it.pending += n
		return lsn
	}
	lsn += rapid.Uint64Range(1, 100).Draw(t, "length")
	tr.Commit(lsn)
	it.open, it.end = false, lsn
	return lsn
}

func compare(t *rapid.T, tr *offsets.Tracker, m *model, before uint64) {
	if got, want := tr.Confirmed(), m.confirmed(); got != want {
		t.Fatalf("confirmed %d, want %d: %+v", got, want, m.items)
	}
	if got := tr.Confirmed(); got < before {
		t.Fatalf("confirmed fell from %d to %d", before, got)
	}
	records, oldest := m.unacked()
	if got := tr.Unacked(); got != records {
		t.Fatalf("unacked %d, want %d", got, records)
	}
	if got, ok := tr.Oldest(); got != oldest || ok != (oldest != 0) {
		t.Fatalf("oldest %d, %v, want %d", got, ok, oldest)
	}
	if got := tr.Open(); got != m.open() {
		t.Fatalf("open %v, want %v", got, m.open())
	}
}

// drain acknowledges all that is left, in a drawn order.
func drain(t *rapid.T, tr *offsets.Tracker, m *model) {
	for w := m.waiting(); len(w) > 0; w = m.waiting() {
		before := tr.Confirmed()
		it := &m.items[rapid.SampledFrom(w).Draw(t, "drain")]
		tr.Ack(it.num, it.pending)
		it.pending = 0
		compare(t, tr, m, before)
	}
}
