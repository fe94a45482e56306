package proof

import (
	"maps"
	"slices"
	"time"
)

// Range is the transactions of which it is known that the slot carried and its reader confirmed them. It is empty when
// From is To: then it has begun and nothing is confirmed yet.
type Range struct {
	From  XID       `json:"from"`  // inclusive
	To    XID       `json:"to"`    // exclusive
	Since time.Time `json:"since"` // the server's clock when it began
}

// Leaf is a table that holds rows: the outbox itself, or one of its partitions.
type Leaf struct {
	Print string `json:"print"` // changes when rows may have got in otherwise than by an insert that was published
	// Ground changes when its name or schema may have: what was inserted meanwhile may have gone out under another name, or not at all.
	Ground string `json:"ground"`
	Node   uint32 `json:"node"`           // relation's file node, a part of Print
	From   XID    `json:"from,omitempty"` // rows of transactions before it are unproven; 0 for no limit
	Born   uint32 `json:"-"`              // xmin of the transaction that made it as a partition; 0 if it may have held rows before it was one
}

// Slot is what is known of one slot.
type Slot struct {
	Last   Sighting `json:"last"`
	Ground string   `json:"ground"` // the publication's identity: changes when what it publishes may have changed
	Ranges []Range  `json:"ranges"`
}

// Mark says that all transactions below To had ended at a time.
type Mark struct {
	At time.Time `json:"at"`
	To XID       `json:"to"`
}

// Ledger is what is known of a table. It is stored as JSON.
type Ledger struct {
	System  string           `json:"system"` // system identifier: numbers mean nothing elsewhere
	Table   uint32           `json:"table"`  // its OID
	Slots   map[string]*Slot `json:"slots"`
	Leaves  map[uint32]Leaf  `json:"leaves"` // by OID
	Marks   []Mark           `json:"marks,omitempty"`
	Checked XID              `json:"checked,omitempty"` // when rows out of reach were last looked for
	Newest  XID              `json:"newest"`            // number of the last Begin
}

// Evidence is what was seen before a mark.
type Evidence struct {
	System  string
	Table   uint32
	At      time.Time           // the server's clock
	Slots   map[string]Sighting // by name
	Grounds map[string]string   // by slot
	Leaves  map[uint32]Leaf     // From is not looked at
}

// Same reports whether nothing in the publication or the table has changed between two looks at them.
func (e *Evidence) Same(other *Evidence) bool {
	return e.System == other.System && e.Table == other.Table && maps.Equal(e.Grounds, other.Grounds) &&
		maps.EqualFunc(e.Leaves, other.Leaves, func(a, b Leaf) bool { return a.Print == b.Print && a.Ground == b.Ground })
}

// maxRanges bounds the ledger. The oldest go first: their rows were deleted long ago, or are kept for good.
const maxRanges = 64

// Begin takes evidence in, and a transaction number that was given out after all of it was seen. It returns the slots of
// which a range ended because nothing shows that they are the ones that were seen before; a first sight is not counted.
func (l *Ledger) Begin(e *Evidence, fresh XID) (broken []string) {
	// Unwatched for so long, rows may have come out of reach and become young ones.
	stale := fresh < l.Newest || fresh-l.Newest > checkEvery
	if l.System != e.System || l.Table != e.Table || l.Slots == nil || stale {
		*l = Ledger{System: e.System, Table: e.Table, Slots: map[string]*Slot{}}
	}
	l.Newest = fresh
	moved := l.begin(e.Leaves, fresh)
	for _, name := range slices.Sorted(maps.Keys(e.Slots)) {
		seen, ground := e.Slots[name], e.Grounds[name]
		s := l.Slots[name]
		if s == nil {
			s = &Slot{}
			l.Slots[name] = s
		} else if seen.Continues(s.Last) && ground == s.Ground && !moved {
			s.Last = seen
			continue
		} else {
			broken = append(broken, name)
		}
		s.Last, s.Ground = seen, ground
		s.Ranges = slices.DeleteFunc(s.Ranges, func(r Range) bool { return r.From == r.To })
		s.Ranges = append(s.Ranges, Range{From: fresh + 1, To: fresh + 1, Since: e.At})
		s.Ranges = s.Ranges[max(0, len(s.Ranges)-maxRanges):]
	}
	return broken
}

// begin takes the leaves in. On the very first evidence every range begins now, so that none of them needs a limit.
//
// A partition that was born counts from behind the transaction that made it: others could not write to it before it was
// there, but that transaction itself could have done anything in between.
//
// It reports whether a leaf that was known may have had another name since: no range goes on over that, and what was
// confirmed before stays.
func (l *Ledger) begin(leaves map[uint32]Leaf, fresh XID) (moved bool) {
	first := l.Leaves == nil
	known := l.Leaves
	l.Leaves = make(map[uint32]Leaf, len(leaves))
	for oid, leaf := range leaves {
		before, seen := known[oid]
		switch {
		case first:
			leaf.From = 0
		case seen && before.Print == leaf.Print:
			leaf.From = before.From
			moved = moved || before.Ground != leaf.Ground
		case !seen && leaf.Born != 0:
			leaf.From = fresh.past(leaf.Born) + 1
		default:
			leaf.From = fresh + 1
		}
		l.Leaves[oid] = leaf
	}
	return moved
}

// Finish notes that the readers of all slots have confirmed everything below horizon, which was taken at the time at,
// after Begin. The sightings are those that showed it; it returns the slots that cannot be shown to be the ones of Begin, and notes
// nothing then.
func (l *Ledger) Finish(seen map[string]Sighting, horizon XID, at time.Time, spacing time.Duration) (broken []string) {
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if s := l.Slots[name]; s == nil || !seen[name].Continues(s.Last) {
			broken = append(broken, name)
		}
	}
	if broken != nil {
		return broken
	}
	for name, sighting := range seen {
		s := l.Slots[name]
		s.Last = sighting
		last := &s.Ranges[len(s.Ranges)-1]
		last.To = max(last.To, horizon)
	}
	l.mark(Mark{At: at, To: horizon}, spacing)
	return nil
}

// Forget drops slots that are not named any more: what is known of them would not stay true unwatched.
func (l *Ledger) Forget(named []string) {
	maps.DeleteFunc(l.Slots, func(name string, _ *Slot) bool { return !slices.Contains(named, name) })
}
