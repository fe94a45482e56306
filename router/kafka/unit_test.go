package kafka_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

func TestAdvance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		seq  int32
		n    int
		want int32
	}{
		{0, 1, 1},
		{5, 10, 15},
		{math.MaxInt32 - 1, 1, math.MaxInt32},
		{math.MaxInt32, 1, 0},
		{math.MaxInt32 - 4, 10, 5},
	} {
		if got := kafka.Advance(c.seq, c.n); got != c.want {
			t.Errorf("advance(%d, %d) = %d, want %d", c.seq, c.n, got, c.want)
		}
	}
}

// Every code that sarama knows has a class on purpose.
func TestClassify(t *testing.T) {
	t.Parallel()
	special := map[sarama.KError]kafka.Class{
		0:  kafka.Accepted,
		46: kafka.Accepted, // DUPLICATE_SEQUENCE_NUMBER

		45: kafka.LostProducer, // OUT_OF_ORDER_SEQUENCE_NUMBER
		47: kafka.LostProducer, // INVALID_PRODUCER_EPOCH
		49: kafka.LostProducer, // INVALID_PRODUCER_ID_MAPPING
		59: kafka.LostProducer, // UNKNOWN_PRODUCER_ID
		90: kafka.LostProducer, // PRODUCER_FENCED

		10: kafka.TooLarge, // MESSAGE_TOO_LARGE
		18: kafka.TooLarge, // RECORD_LIST_TOO_LARGE

		32: kafka.Poison, // INVALID_TIMESTAMP
		44: kafka.Poison, // POLICY_VIOLATION
		87: kafka.Poison, // INVALID_RECORD

		2: kafka.Suspect, // CORRUPT_MESSAGE

		17: kafka.TopicRefused, // INVALID_TOPIC_EXCEPTION
		29: kafka.TopicRefused, // TOPIC_AUTHORIZATION_FAILED

		21: kafka.Misconfigured, // INVALID_REQUIRED_ACKS
		31: kafka.Misconfigured, // CLUSTER_AUTHORIZATION_FAILED
		33: kafka.Misconfigured, // UNSUPPORTED_SASL_MECHANISM
		35: kafka.Misconfigured, // UNSUPPORTED_VERSION
		43: kafka.Misconfigured, // UNSUPPORTED_FOR_MESSAGE_FORMAT
		53: kafka.Misconfigured, // TRANSACTIONAL_ID_AUTHORIZATION_FAILED
		54: kafka.Misconfigured, // SECURITY_DISABLED
		58: kafka.Misconfigured, // SASL_AUTHENTICATION_FAILED
		76: kafka.Misconfigured, // UNSUPPORTED_COMPRESSION_TYPE
	}
	for code := range kafka.CodeNames {
		if got, want := kafka.Classify(code), special[code]; got != want {
			t.Errorf("%s (%d): class %d, want %d", kafka.CodeName(code), code, got, want)
		}
		if kafka.Stale(code) && kafka.Classify(code) != kafka.Retriable {
			t.Errorf("%s asks for metadata but is not retried", kafka.CodeName(code))
		}
	}
	if got := kafka.Classify(12345); got != kafka.Retriable {
		t.Errorf("an unknown code has class %d, want retriable", got)
	}
	if got := kafka.CodeName(12345); got != "UNKNOWN_CODE" {
		t.Errorf("an unknown code is called %s", got)
	}
}

// franz-go knows the codes of newer brokers than sarama does; the names are Kafka's.
func TestCodeNamesAreKafkas(t *testing.T) {
	t.Parallel()
	for code := int16(-1); code < 300; code++ {
		known := kerr.TypedErrorForCode(code)
		name, named := kafka.CodeNames[sarama.KError(code)]
		if known == nil || code == 0 || code == 6 { // which Kafka has renamed since
			continue
		}
		if known.Code == code && (!named || name != known.Message) {
			t.Errorf("code %d is %q here and %s in Kafka", code, name, known.Message)
		}
	}
}

// sarama has a text for each code that it knows; so must we have a name.
func TestCodeNamesAreComplete(t *testing.T) {
	t.Parallel()
	unknown := sarama.KError(12345).Error()
	generic := unknown[:strings.Index(unknown, "12345")]
	for code := sarama.KError(-1); code < 200; code++ {
		_, named := kafka.CodeNames[code]
		if known := !strings.HasPrefix(code.Error(), generic); known && !named {
			t.Errorf("code %d has no name: %v", code, code)
		}
	}
}

func TestStale(t *testing.T) {
	t.Parallel()
	for code, want := range map[sarama.KError]bool{
		sarama.ErrNotLeaderForPartition:   true,
		sarama.ErrUnknownTopicOrPartition: true,
		sarama.ErrLeaderNotAvailable:      true,
		sarama.ErrKafkaStorageError:       true,
		sarama.ErrFencedLeaderEpoch:       true,
		sarama.ErrNotEnoughReplicas:       false,
		sarama.ErrRequestTimedOut:         false,
		sarama.ErrUnknown:                 false,
	} {
		if got := kafka.Stale(code); got != want {
			t.Errorf("stale(%s) = %v, want %v", kafka.CodeName(code), got, want)
		}
	}
}

func TestReasonOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"code", fmt.Errorf("send: %w", sarama.ErrNotEnoughReplicas), "NOT_ENOUGH_REPLICAS"},
		{"wrong password", fmt.Errorf("connect: %w", sarama.ErrSASLAuthenticationFailed), "authentication"},
		{"configuration", &kafka.ConfigError{Option: "x", Err: os.ErrNotExist}, "configuration"},
		{"deadline", fmt.Errorf("read: %w", os.ErrDeadlineExceeded), "timeout"},
		{"context", context.DeadlineExceeded, "timeout"},
		{"incomplete", sarama.ErrIncompleteResponse, "protocol"},
		{"anything else", os.ErrClosed, "network"},
	} {
		if got := kafka.ReasonOf(c.err); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestCheckTopicName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "outbox.event.order", "A-Z_0.9", strings.Repeat("x", 249), "..."} {
		if err := kafka.CheckTopicName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "..", "Order Item", "ордер", "a/b", "a\x00", strings.Repeat("x", 250)} {
		if err := kafka.CheckTopicName(name); err == nil {
			t.Errorf("%q was accepted", name)
		}
	}
}

// The expected sizes are DefaultRecord.recordSizeUpperBound of Kafka's Java client,
// worked out by hand.
func TestRecordSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		record router.Record
		want   int
	}{
		{"all null", router.Record{}, 21 + 1 + 1 + 1},
		{"empty is as short as null", router.Record{Key: []byte{}, Value: []byte{}}, 21 + 1 + 1 + 1},
		{"63 bytes need one byte of length", router.Record{Value: make([]byte, 63)}, 21 + 1 + 1 + 63 + 1},
		{"64 bytes need two", router.Record{Value: make([]byte, 64)}, 21 + 1 + 2 + 64 + 1},
		{"8192 bytes need three", router.Record{Value: make([]byte, 8192)}, 21 + 1 + 3 + 8192 + 1},
		{
			"headers", router.Record{Key: []byte("k"), Headers: []router.Header{{Key: "id", Value: []byte("abc")}, {Key: "n"}}},
			21 + 2 + 1 + 1 + (3 + 4) + (2 + 1),
		},
	} {
		if got := kafka.RecordSize(&kafka.Message{Record: c.record}); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	cfg := kafka.Config{RetryBackoff: 100 * time.Millisecond, RetryBackoffMax: time.Second}
	for n, mid := range map[int]time.Duration{
		1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 4: 800 * time.Millisecond,
		5: time.Second, 1000: time.Second, math.MaxInt: time.Second,
	} {
		for range 100 {
			got := cfg.Pause(n)
			if got < mid*8/10 || got > mid*12/10 {
				t.Fatalf("pause before repeat %d is %v, want %v give or take a fifth", n, got, mid)
			}
		}
	}
}

// A record costs no allocation of ours from Take until it is handed to sarama:
// what a request costs does not grow with its records.
func TestBuildingAllocatesNothingForRecords(t *testing.T) {
	b := kafka.NewBuilder(kafka.Config{}, "a", 6)
	few, many := messages("a", 60, 60), messages("a", 3000, 60)
	b.Cut(many) // the slabs grow once
	build := func(all []*kafka.Message) float64 {
		return testing.AllocsPerRun(20, func() {
			if n := b.Cut(all); n != len(all) {
				t.Fatalf("the request holds %d records, want %d", n, len(all))
			}
		})
	}
	if a, z := build(few), build(many); a != z {
		t.Errorf("a request of 60 records takes %v allocations, one of 3000 takes %v", a, z)
	}
}

func BenchmarkBuild(b *testing.B) {
	const records = 3000
	builder := kafka.NewBuilder(kafka.Config{}, "a", 6)
	all := messages("a", records, 60)
	b.ReportAllocs()
	for range b.N {
		builder.Cut(all)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
}
