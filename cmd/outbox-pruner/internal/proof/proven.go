package proof

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// never is SQL that holds for no row.
const never = "false"

// Proven returns SQL that holds for rows of the table, or of its partitions, whose transaction every named slot's reader
// has confirmed. newest is a transaction number that was given out just now. notBefore makes SQL that holds for rows whose own
// time is not before another; nil if they have none.
func (l *Ledger) Proven(slots []string, newest XID, notBefore func(time.Time) string) string {
	all := []string{l.inLeaves(newest)}
	for _, name := range slots {
		s := l.Slots[name]
		if s == nil {
			return never
		}
		all = append(all, s.proven(newest, notBefore))
	}
	return "(" + strings.Join(all, " AND ") + ")"
}

func (s *Slot) proven(newest XID, notBefore func(time.Time) string) string {
	var any []string
	for _, r := range s.Ranges {
		from := r.From.from(newest)
		if from >= r.To {
			continue
		}
		in := from.between(r.To)
		if notBefore != nil {
			in = "(" + in + " AND " + notBefore(r.Since) + ")"
		}
		any = append(any, in)
	}
	if any == nil {
		return never
	}
	return "(" + strings.Join(any, " OR ") + ")"
}

// inLeaves holds for rows of leaves that are known, and of those with a limit not before it.
func (l *Ledger) inLeaves(newest XID) string {
	var free []string
	var limited []string
	for _, oid := range slices.Sorted(maps.Keys(l.Leaves)) {
		leaf := l.Leaves[oid]
		if leaf.From == 0 {
			free = append(free, fmt.Sprint(oid))
			continue
		}
		from := leaf.From.from(newest)
		limited = append(limited, fmt.Sprintf("(tableoid = %d AND %s)", oid, from.between(from+reach)))
	}
	if free != nil {
		limited = append(limited, "tableoid IN ("+strings.Join(free, ", ")+")")
	}
	if limited == nil {
		return never
	}
	return "(" + strings.Join(limited, " OR ") + ")"
}

// Unmoved returns SQL, without reference to a row, that holds while no known leaf has been rewritten since the evidence.
func (l *Ledger) Unmoved() string {
	values := make([]string, 0, len(l.Leaves))
	for _, oid := range slices.Sorted(maps.Keys(l.Leaves)) {
		values = append(values, fmt.Sprintf("(%d::oid, %d::oid)", oid, l.Leaves[oid].Node))
	}
	if len(values) == 0 {
		return never
	}
	// A leaf that is gone has no node, and no rows either.
	return fmt.Sprintf("(SELECT bool_and(coalesce(pg_catalog.pg_relation_filenode(l.oid) = l.node, true)) FROM (VALUES %s) l(oid, node))", strings.Join(values, ", "))
}

// Confirmed returns the number below which every named slot's reader has confirmed everything that it carries, 0 if
// nothing is confirmed.
func (l *Ledger) Confirmed(slots []string) XID {
	var low XID
	for i, name := range slots {
		var to XID
		if s := l.Slots[name]; s != nil && len(s.Ranges) > 0 {
			if last := s.Ranges[len(s.Ranges)-1]; last.To > last.From {
				to = last.To
			}
		}
		if i == 0 || to < low {
			low = to
		}
	}
	return low
}

// After is SQL that holds for rows that were inserted by a transaction with number x or a later one, up to now.
func (x XID) After() string { return x.between(x + checkEvery) }

// CheckDue reports whether it is time to look for rows that are about to come out of reach (OutOfReach).
func (l *Ledger) CheckDue(newest XID) bool {
	return newest >= reach && newest-l.Checked >= checkEvery
}

// OutOfReach is SQL that holds for rows whose transaction was 2^31 or more transactions ago.
const OutOfReach = "pg_catalog.age(xmin) < 0"

// Since returns when the newest range of a slot began, as far back as everything is proven up to Confirmed.
func (l *Ledger) Since(slots []string) time.Time {
	var latest time.Time
	for _, name := range slots {
		if s := l.Slots[name]; s != nil && len(s.Ranges) > 0 {
			if t := s.Ranges[len(s.Ranges)-1].Since; t.After(latest) {
				latest = t
			}
		}
	}
	return latest
}
