package outbox

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// NewID returns a new UUID of version 7 (RFC 9562): it begins with the time, so that
// new rows go to the end of the primary key's index and touch few of its pages. The
// order of the ids is not the order of the events. It is for callers who want to know
// the id; Write makes one for an Event without.
func NewID() string { return newID(time.Now()) }

// newID puts the part of the time below a millisecond into the 12 bits behind it
// (RFC 9562, section 6.2, method 3), so that the ids of one process rise.
func newID(now time.Time) string {
	var id [16]byte
	rand.Read(id[8:]) // never fails
	ms := now.UnixMilli()
	below := now.UnixNano() - ms*1e6
	binary.BigEndian.PutUint64(id[:8], uint64(ms)<<16|0x7000|uint64(below)<<12/1e6)
	id[8] = id[8]&0x3f | 0x80 // variant
	return format(id)
}

// format writes a UUID as PostgreSQL does.
func format(id [16]byte) string {
	var text [36]byte
	hex.Encode(text[:8], id[:4])
	text[8] = '-'
	hex.Encode(text[9:13], id[4:6])
	text[13] = '-'
	hex.Encode(text[14:18], id[6:8])
	text[18] = '-'
	hex.Encode(text[19:23], id[8:10])
	text[23] = '-'
	hex.Encode(text[24:], id[10:])
	return string(text[:])
}
