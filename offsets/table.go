package offsets

import (
	"fmt"
	"math/bits"
)

// minSlots is the table's size when little is in flight: 64 slots of 40 bytes
// stay in the first-level cache.
const minSlots = 64

// entry is a closed transaction that waits for acknowledgements. Entries form a
// list in commit order, linked by number because a slot may move.
type entry struct {
	num     uint64 // 0 marks a free slot
	end     uint64 // confirmed when this and everything older is complete
	pending int
	older   uint64 // 0 for the oldest
	newer   uint64 // 0 for the newest
}

// table holds the waiting transactions: a list in commit order whose entries are
// found by number in O(1). Linear probing with backward-shift deletion keeps it
// free of tombstones, so it does not decay while numbers only ever rise.
type table struct {
	slots  []entry // a power of two, at most half full
	shift  uint    // 64 - log2(len(slots))
	live   int
	oldest uint64
	newest uint64
}

func newTable() table {
	t := table{}
	t.resize(minSlots)
	return t
}

// home is where num would stand if nothing else did. Multiplying by 2^64/phi
// spreads consecutive numbers.
func (t *table) home(num uint64) int {
	return int((num * 0x9E3779B97F4A7C15) >> t.shift)
}

// find returns the slot that holds num, or the free one where it belongs.
func (t *table) find(num uint64) int {
	i := t.home(num)
	for t.slots[i].num != num && t.slots[i].num != 0 {
		i = (i + 1) & (len(t.slots) - 1)
	}
	return i
}

// push appends a transaction as the newest.
func (t *table) push(num, end uint64, pending int) {
	if 2*(t.live+1) > len(t.slots) {
		t.resize(2 * len(t.slots))
	}
	t.slots[t.find(num)] = entry{num: num, end: end, pending: pending, older: t.newest}
	if t.newest != 0 {
		t.slots[t.find(t.newest)].newer = num
	} else {
		t.oldest = num
	}
	t.newest = num
	t.live++
}

// extendNewest lets the newest transaction stand for everything up to lsn. It
// reports false if there is none.
func (t *table) extendNewest(lsn uint64) bool {
	if t.newest == 0 {
		return false
	}
	t.slots[t.find(t.newest)].end = lsn
	return true
}

// subtract takes n acknowledged records off num and returns how many are left.
func (t *table) subtract(num uint64, n int) int {
	e := &t.slots[t.find(num)]
	if num == 0 || e.num != num {
		panic(fmt.Sprintf("offsets: Ack(%d, %d) of an unknown or complete transaction", num, n))
	}
	if n > e.pending {
		panic(fmt.Sprintf("offsets: Ack(%d, %d) with %d records unacknowledged", num, n, e.pending))
	}
	e.pending -= n
	return e.pending
}

// remove forgets a complete transaction. If it was the oldest, its end may be
// confirmed; otherwise the next older one takes the end over.
func (t *table) remove(num uint64) (end uint64, oldest bool) {
	i := t.find(num)
	e := t.slots[i]
	t.free(i)
	t.live--
	if e.newer != 0 {
		t.slots[t.find(e.newer)].older = e.older
	} else {
		t.newest = e.older
	}
	if e.older != 0 {
		o := &t.slots[t.find(e.older)]
		o.end, o.newer = e.end, e.newer
	} else {
		t.oldest = e.newer
	}
	// An eighth, not a half: a table that hovers around a size must not be
	// rebuilt at every step.
	if len(t.slots) > minSlots && 8*t.live < len(t.slots) {
		t.resize(len(t.slots) / 2)
	}
	return e.end, e.older == 0
}

// free empties slot i and moves back the entries that had to step over it.
func (t *table) free(i int) {
	mask := len(t.slots) - 1
	for j := (i + 1) & mask; t.slots[j].num != 0; j = (j + 1) & mask {
		// The entry at j may move to i if i is not before its home.
		if (j-t.home(t.slots[j].num))&mask >= (j-i)&mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = entry{}
}

func (t *table) resize(n int) {
	old := t.slots
	t.slots = make([]entry, n)
	t.shift = uint(64 - bits.TrailingZeros(uint(n)))
	for _, e := range old {
		if e.num != 0 {
			t.slots[t.find(e.num)] = e
		}
	}
}
