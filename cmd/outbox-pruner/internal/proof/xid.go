package proof

import "fmt"

// XID is the number of a transaction with its epoch, as in xid8: it never wraps.
type XID uint64

const (
	// wrap is the number of values that the 32 bits in a row can have.
	wrap = 1 << 32
	// reach is how far back a number in a row can be told from a later one. A quarter of it more could be had, but
	// PostgreSQL itself compares within half.
	reach = 1 << 31
	// checkEvery is how many transactions may pass between two looks for rows that are about to come out of reach.
	checkEvery = 1 << 30
)

// offset is SQL for how many transactions after from the row's own was, between 0 and 2^32-1. It is right for rows that
// are in reach.
func offset(from XID) string {
	return fmt.Sprintf("((xmin::text::int8 - %d + %d) %% %d)", uint64(from)%wrap, uint64(wrap), uint64(wrap))
}

// from clamps a number to what is in reach of the newest.
func (x XID) from(newest XID) XID {
	if newest > reach && x < newest-reach {
		return newest - reach
	}
	return x
}

// past is the newest number, not above x, of which the lower 32 bits are given.
func (x XID) past(low uint32) XID { return x - XID(uint32(x)-low) }

// Before is SQL that holds for rows in reach with numbers below x.
func (x XID) Before() string {
	if x < reach { // no number has wrapped yet
		return fmt.Sprintf("(xmin::text::int8 < %d)", uint64(x))
	}
	return fmt.Sprintf("(%s < %d)", offset(x-reach), uint64(reach))
}

// between is SQL that holds for rows with numbers in [x, to).
func (x XID) between(to XID) string {
	return fmt.Sprintf("(%s < %d)", offset(x), uint64(to-x))
}
