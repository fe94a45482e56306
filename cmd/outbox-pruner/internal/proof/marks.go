package proof

import (
	"slices"
	"time"
)

// maxMarks bounds the ledger, whatever the spacing.
const maxMarks = 256

// mark adds a mark and drops the one before it if those around that are closer together than spacing, so that the newest
// is always there and the others are far enough apart.
func (l *Ledger) mark(m Mark, spacing time.Duration) {
	if n := len(l.Marks); n > 0 && !m.At.After(l.Marks[n-1].At) {
		// The server's clock went back: marks from its future are of no use for telling an age.
		l.Marks = slices.DeleteFunc(l.Marks, func(old Mark) bool { return !old.At.Before(m.At) })
	}
	if n := len(l.Marks); n >= 2 && m.At.Sub(l.Marks[n-2].At) < spacing {
		l.Marks = l.Marks[:n-1]
	}
	l.Marks = append(l.Marks, m)
	if extra := len(l.Marks) - maxMarks; extra > 0 {
		l.Marks = slices.Delete(l.Marks, 0, extra)
	}
}

// Prune drops marks that are not needed to tell which rows are older than cutoff.
func (l *Ledger) Prune(cutoff time.Time) {
	if i := l.newest(cutoff); i > 0 {
		l.Marks = slices.Delete(l.Marks, 0, i)
	}
}

// EndedBefore returns the number below which all transactions had ended at a time: their rows are at least as old. ok
// is false when no mark reaches back so far.
func (l *Ledger) EndedBefore(at time.Time) (to XID, ok bool) {
	i := l.newest(at)
	if i < 0 {
		return 0, false
	}
	return l.Marks[i].To, true
}

// BegunBefore returns the number below which every transaction had begun at a time, as far as is known: rows of lower numbers were
// there, or on their way, when a range began that is not younger than that. It is 0 if none is known.
func (l *Ledger) BegunBefore(at time.Time) XID {
	highest, _ := l.EndedBefore(at)
	for _, s := range l.Slots {
		for _, r := range s.Ranges {
			if !r.Since.After(at) {
				highest = max(highest, r.From)
			}
		}
	}
	return highest
}

// newest is the index of the newest mark that is not after a time, or -1.
func (l *Ledger) newest(at time.Time) int {
	for i := len(l.Marks) - 1; i >= 0; i-- {
		if !l.Marks[i].At.After(at) {
			return i
		}
	}
	return -1
}
