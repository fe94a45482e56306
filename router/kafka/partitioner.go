package kafka

import (
	"encoding/binary"
	"math/rand/v2"
)

// murmur2 is the hash by which Kafka's Java clients place keyed records
// (org.apache.kafka.common.utils.Utils.murmur2). sarama has the same behind a
// Partitioner that wants a ProducerMessage for each record; this one allocates
// nothing.
func murmur2(key []byte) uint32 {
	const (
		seed = 0x9747b28c
		m    = 0x5bd1e995
		r    = 24
	)
	h := seed ^ uint32(len(key))
	for len(key) >= 4 {
		k := binary.LittleEndian.Uint32(key) * m
		k = (k ^ k>>r) * m
		h = h*m ^ k
		key = key[4:]
	}
	switch len(key) {
	case 3:
		h ^= uint32(key[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(key[1]) << 8
		fallthrough
	case 1:
		h = (h ^ uint32(key[0])) * m
	}
	h = (h ^ h>>13) * m
	return h ^ h>>15
}

// partitionOf is the partition, of n, in which Kafka's Java producer puts a
// record with this key. An empty key is a key; a null key is not, see choose.
func partitionOf(key []byte, n int) int32 {
	return int32(int(murmur2(key)&0x7fffffff) % n)
}

// choose returns the partition for m, or -1 if its explicit partition does not
// exist. Records without a key stick to one random partition until a batch of
// it is cut: many small batches spread over all partitions would cost more.
func (t *topic) choose(m *Message) int32 {
	n := len(t.partitions)
	switch {
	case m.Partition >= 0 && m.grave != nil: // it was another topic's
	case int(m.Partition) >= n:
		return -1
	case m.Partition >= 0:
		return m.Partition
	case m.Key != nil:
		return partitionOf(m.Key, n)
	}
	if t.sticky < 0 || int(t.sticky) >= n {
		t.sticky = int32(rand.IntN(n))
	}
	return t.sticky
}
