package kafka

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/IBM/sarama"
)

// Defaults that a zero field of Config stands for; they are the Java
// producer's, but for batch.size (see Config.BatchSize).
const (
	DefaultClientID        = "outbox-relay"
	DefaultBatchSize       = 512 << 10
	DefaultMaxRequestSize  = 1 << 20
	DefaultRequestTimeout  = 30 * time.Second
	DefaultRetryBackoff    = 100 * time.Millisecond
	DefaultRetryBackoffMax = time.Second
	DefaultMetadataMaxAge  = 5 * time.Minute
	DefaultAbandonTimeout  = 5 * time.Second
)

// Config tells a Producer how to reach Kafka and how to send. Fields carry
// Kafka's option names, given in each comment; a zero field means its default.
// acks=all, enable.idempotence=true and max.in.flight.requests.per.connection=1
// are fixed: nothing else keeps records and their order.
type Config struct {
	// BootstrapServers are host:port pairs to ask for the cluster first, and
	// again when no known broker answers (bootstrap.servers). Names are resolved
	// at each connect. Required.
	BootstrapServers []string
	// ClientID names this program in the broker's logs and quotas (client.id).
	// Defaults to "outbox-relay".
	ClientID string
	// CompressionType is none, gzip, snappy, lz4 or zstd (compression.type).
	// Defaults to none.
	CompressionType string
	// BatchSize is the size in bytes at which a partition's batch is full
	// (batch.size). One record may be larger. Defaults to 512 KiB, above Java's
	// 16 KiB, because one batch of a partition is in flight at a time: what waits
	// meanwhile goes out as one batch. More helps where acknowledgements take many
	// milliseconds, and costs about four times as much memory for each broker.
	BatchSize int
	// Linger is how long a batch that is not full waits for more (linger.ms).
	// Defaults to 0: records leave as soon as their broker is free.
	Linger time.Duration
	// MaxRequestSize is the largest record, in bytes before compression as Java
	// computes them, that is sent at all, and bounds a request (max.request.size).
	// Defaults to 1 MiB. A request holds more than BatchSize, or 512 KiB if that is
	// less, only if one record does.
	MaxRequestSize int
	// RequestTimeout is how long a request may wait for its answer before the
	// connection is given up and the request repeated (request.timeout.ms).
	// Defaults to 30 s.
	RequestTimeout time.Duration
	// RetryBackoff is the pause before the first repeat; it doubles, with jitter,
	// up to RetryBackoffMax (retry.backoff.ms, retry.backoff.max.ms). Repeats go
	// on without end. They default to 100 ms and 1 s.
	RetryBackoff, RetryBackoffMax time.Duration
	// MetadataMaxAge is the age at which leaders are asked for again though
	// nothing failed (metadata.max.age.ms). Defaults to 5 minutes; an idle
	// producer asks every few seconds anyway.
	MetadataMaxAge time.Duration
	// AbandonTimeout is how long Run, when it stops early, waits for answers to
	// requests in flight. Our own; defaults to 5 s.
	AbandonTimeout time.Duration

	// RetryTimeout is how long a batch, or a question to the cluster, may go on
	// failing with what may pass; then the batch's records are refused, if a broker
	// has answered and DeadLetters takes them, or Run ends with an error
	// (errors.retry.timeout). Each batch has the whole time from its first failure. 0
	// and less are for ever, as with the delivery.timeout.ms that Connect gives its
	// producers.
	RetryTimeout time.Duration

	Security      Security
	TopicCreation TopicCreation
	DeadLetters   DeadLetters
}

// TopicCreation says what becomes of a record for a topic that does not exist.
type TopicCreation struct {
	// Enable creates the topic; else the record is a RecordError
	// (topic.creation.enable).
	Enable bool
	// Partitions and ReplicationFactor of created topics; 0 and -1 leave them to
	// the broker (topic.creation.default.partitions,
	// topic.creation.default.replication.factor).
	Partitions        int32
	ReplicationFactor int16
}

// withDefaults returns c with its zero fields set.
func (c Config) withDefaults() Config {
	setDefault(&c.ClientID, DefaultClientID)
	setDefault(&c.CompressionType, "none")
	setDefault(&c.BatchSize, DefaultBatchSize)
	setDefault(&c.MaxRequestSize, DefaultMaxRequestSize)
	setDefault(&c.RequestTimeout, DefaultRequestTimeout)
	setDefault(&c.RetryBackoff, DefaultRetryBackoff)
	setDefault(&c.RetryBackoffMax, max(DefaultRetryBackoffMax, c.RetryBackoff))
	setDefault(&c.MetadataMaxAge, DefaultMetadataMaxAge)
	setDefault(&c.AbandonTimeout, DefaultAbandonTimeout)
	setDefault(&c.TopicCreation.Partitions, -1)
	setDefault(&c.TopicCreation.ReplicationFactor, -1)
	setDefault(&c.DeadLetters.ReplicationFactor, -1)
	c.Security = c.Security.withDefaults()
	return c
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Validate reports all mistakes joined, each with the name of Kafka's option.
// It does not touch the network or the disk.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	if len(c.BootstrapServers) == 0 {
		errs = append(errs, errors.New("bootstrap.servers: is empty, give at least one host:port"))
	}
	for _, addr := range c.BootstrapServers {
		errs = append(errs, checkAddr(addr))
	}
	if _, ok := codecs[c.CompressionType]; !ok {
		errs = append(errs, fmt.Errorf("compression.type: %q is not one of none, gzip, snappy, lz4, zstd", c.CompressionType))
	}
	errs = append(errs,
		checkRange("batch.size", c.BatchSize, 1, int(sarama.MaxRequestSize)/2),
		// sarama refuses to encode a request of more than 100 MiB
		checkRange("max.request.size", c.MaxRequestSize, 1, int(sarama.MaxRequestSize)-1<<20),
		checkDuration("linger.ms", c.Linger, 0, time.Minute),
		checkDuration("request.timeout.ms", c.RequestTimeout, time.Millisecond, time.Hour),
		checkDuration("retry.backoff.ms", c.RetryBackoff, time.Millisecond, time.Hour),
		checkDuration("retry.backoff.max.ms", c.RetryBackoffMax, c.RetryBackoff, time.Hour),
		checkDuration("metadata.max.age.ms", c.MetadataMaxAge, time.Millisecond, 24*time.Hour),
		checkDuration("abandon timeout", c.AbandonTimeout, time.Millisecond, time.Hour),
	)
	if p := c.TopicCreation.Partitions; p < -1 {
		errs = append(errs, fmt.Errorf("topic.creation.default.partitions: %d is neither positive nor -1", p))
	}
	if r := c.TopicCreation.ReplicationFactor; r < -1 {
		errs = append(errs, fmt.Errorf("topic.creation.default.replication.factor: %d is neither positive nor -1", r))
	}
	errs = append(errs, c.DeadLetters.validate(), c.Security.validate())
	return errors.Join(errs...)
}

func checkAddr(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host == "" {
		return fmt.Errorf("bootstrap.servers: %q is not host:port", addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("bootstrap.servers: %q has no port between 1 and 65535", addr)
	}
	return nil
}

func checkRange(option string, n, lowest, highest int) error {
	if n < lowest || n > highest {
		return fmt.Errorf("%s: %d is not between %d and %d", option, n, lowest, highest)
	}
	return nil
}

func checkDuration(option string, d, lowest, highest time.Duration) error {
	if d < lowest || d > highest {
		return fmt.Errorf("%s: %v is not between %v and %v", option, d, lowest, highest)
	}
	return nil
}

// codecs are sarama's codecs by Kafka's names.
var codecs = map[string]sarama.CompressionCodec{
	"none":   sarama.CompressionNone,
	"gzip":   sarama.CompressionGZIP,
	"snappy": sarama.CompressionSnappy,
	"lz4":    sarama.CompressionLZ4,
	"zstd":   sarama.CompressionZSTD,
}
