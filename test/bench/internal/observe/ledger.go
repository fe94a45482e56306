package observe

import (
	"sync/atomic"
	"time"
)

// Ledger notes when numbered rows were committed and when their records arrived. Numbers count from 0. Its methods may
// be called by several goroutines.
type Ledger struct {
	base time.Time
	rows []entry
	last atomic.Int64 // 1 + the largest number that was sent
}

// entry holds nanoseconds since the ledger's base; 0 means that it has not happened.
type entry struct{ sent, arrived atomic.Int64 }

// NewLedger makes a ledger for so many rows.
func NewLedger(capacity int) *Ledger { return &Ledger{base: time.Now(), rows: make([]entry, capacity)} }

// Full reports whether there is no place for row n.
func (l *Ledger) Full(n int) bool { return n >= len(l.rows) }

// Sent notes that row n is about to be committed.
func (l *Ledger) Sent(n int) {
	l.rows[n].sent.Store(l.now())
	for {
		last := l.last.Load()
		if last > int64(n) || l.last.CompareAndSwap(last, int64(n)+1) {
			return
		}
	}
}

// Arrived notes the first arrival of row n at the time at. Repeats, and numbers that were never sent, are ignored.
func (l *Ledger) Arrived(n int, at time.Time) {
	if n >= 0 && n < len(l.rows) && l.rows[n].sent.Load() > 0 {
		l.rows[n].arrived.CompareAndSwap(0, max(1, int64(at.Sub(l.base))))
	}
}

// now is never 0.
func (l *Ledger) now() int64 { return max(1, int64(time.Since(l.base))) }

// Next is the number after the largest that was sent.
func (l *Ledger) Next() int { return int(l.last.Load()) }

// Latencies returns the time from sent to arrived of those rows from number from on that have arrived.
func (l *Ledger) Latencies(from int) []time.Duration {
	var all []time.Duration
	for i := from; i < l.Next(); i++ {
		if arrived := l.rows[i].arrived.Load(); arrived > 0 {
			all = append(all, time.Duration(arrived-l.rows[i].sent.Load()))
		}
	}
	return all
}

// Missing is how many of the rows that were sent have not arrived.
func (l *Ledger) Missing() int {
	missing := 0
	for i := range l.Next() {
		if l.rows[i].sent.Load() > 0 && l.rows[i].arrived.Load() == 0 {
			missing++
		}
	}
	return missing
}

// FirstSince returns when the first row with a number of at least from arrived, and whether any did.
func (l *Ledger) FirstSince(from int) (time.Time, bool) {
	first := int64(0)
	for i := from; i < l.Next(); i++ {
		if arrived := l.rows[i].arrived.Load(); arrived > 0 && (first == 0 || arrived < first) {
			first = arrived
		}
	}
	return l.base.Add(time.Duration(first)), first > 0
}
