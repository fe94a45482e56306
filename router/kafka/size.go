package kafka

import "math/bits"

const (
	// batchOverhead is the size of a record batch's header (format 2).
	batchOverhead = 61
	// maxRecordOverhead is what a record takes at most beside key, value and
	// headers: 5 bytes of length, 10 of timestamp, 5 of offset, 1 of attributes.
	maxRecordOverhead = 21
)

// recordSize is the upper bound of a record's encoded size in bytes as Kafka's
// Java producer computes it (DefaultRecord.recordSizeUpperBound), so that the
// same records fit under the same max.request.size.
func recordSize(m *Message) int {
	size := maxRecordOverhead + bytesSize(m.Key) + bytesSize(m.Value) + varintSize(len(m.Headers))
	for i := range m.Headers {
		h := &m.Headers[i]
		size += varintSize(len(h.Key)) + len(h.Key) + bytesSize(h.Value)
	}
	return size
}

// bytesSize is the size of a length-prefixed field; null has the length -1,
// which takes one byte.
func bytesSize(b []byte) int {
	if b == nil {
		return 1
	}
	return varintSize(len(b)) + len(b)
}

// varintSize is the size of a non-negative number as a zigzag varint.
func varintSize(n int) int {
	return (bits.Len64(uint64(n)<<1|1) + 6) / 7
}
