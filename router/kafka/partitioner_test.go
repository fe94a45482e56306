package kafka_test

import (
	"fmt"
	"testing"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// The hashes are those of Kafka's own UtilsTest.testMurmur2.
func TestMurmur2(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]int32{
		"21":                         -973932308,
		"foobar":                     -790332482,
		"a-little-bit-long-string":   -985981536,
		"a-little-bit-longer-string": -1486304829,
		"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
		"abc": 479470107,
	} {
		if got := int32(kafka.Murmur2([]byte(key))); got != want {
			t.Errorf("murmur2(%q) = %d, want %d", key, got, want)
		}
	}
}

// Where Java's producer puts these keys among 3, 6 and 12 partitions.
func TestPartitionOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key  string
		want [3]int32
	}{
		{"", [3]int32{0, 3, 9}},
		{"1", [3]int32{0, 3, 3}},
		{"42", [3]int32{1, 4, 4}},
		{"order-1", [3]int32{1, 4, 10}},
		{"order-2", [3]int32{0, 3, 3}},
		{"aggregate-123", [3]int32{1, 1, 1}},
		{"ключ", [3]int32{2, 2, 8}},
		{"3f333df6-90a4-4fda-8dd3-9485d27cee36", [3]int32{0, 0, 0}},
	} {
		t.Run(fmt.Sprintf("%q", c.key), func(t *testing.T) {
			for i, n := range []int{3, 6, 12} {
				if got := kafka.PartitionOf([]byte(c.key), n); got != c.want[i] {
					t.Errorf("of %d partitions: got %d, want %d", n, got, c.want[i])
				}
			}
		})
	}
}
