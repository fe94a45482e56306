package kafka_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	good := func() kafka.Config { return kafka.Config{BootstrapServers: []string{"kafka-1:9092", "[::1]:9092"}} }
	sasl := func(c *kafka.Config) {
		c.Security = kafka.Security{
			Protocol: "SASL_SSL", SASLMechanism: "PLAIN", SASLUsername: "u", SASLPassword: password("p"),
		}
	}
	for _, c := range []struct {
		name   string
		change func(*kafka.Config)
		want   []string // in the error; none if it is valid
	}{
		{"defaults", func(*kafka.Config) {}, nil},
		{"everything set", func(c *kafka.Config) {
			sasl(c)
			c.CompressionType, c.Linger, c.BatchSize, c.MaxRequestSize = "zstd", time.Second, 16384, 10<<20
			c.TopicCreation = kafka.TopicCreation{Enable: true, Partitions: 3, ReplicationFactor: 2}
		}, nil},
		{"no server", func(c *kafka.Config) { c.BootstrapServers = nil }, []string{"bootstrap.servers"}},
		{"no port", func(c *kafka.Config) { c.BootstrapServers = []string{"kafka"} }, []string{`bootstrap.servers: "kafka"`}},
		{"no host", func(c *kafka.Config) { c.BootstrapServers = []string{":9092"} }, []string{"bootstrap.servers"}},
		{"bad port", func(c *kafka.Config) { c.BootstrapServers = []string{"kafka:99999"} }, []string{"bootstrap.servers"}},
		{"codec", func(c *kafka.Config) { c.CompressionType = "brotli" }, []string{"compression.type", "brotli"}},
		{"negative linger", func(c *kafka.Config) { c.Linger = -1 }, []string{"linger.ms"}},
		{"negative batch", func(c *kafka.Config) { c.BatchSize = -1 }, []string{"batch.size"}},
		{"huge request", func(c *kafka.Config) { c.MaxRequestSize = 1 << 30 }, []string{"max.request.size"}},
		{"timeout", func(c *kafka.Config) { c.RequestTimeout = -time.Second }, []string{"request.timeout.ms"}},
		{"backoff above its maximum", func(c *kafka.Config) { c.RetryBackoff, c.RetryBackoffMax = time.Second, time.Millisecond }, []string{"retry.backoff.max.ms"}},
		{"metadata age", func(c *kafka.Config) { c.MetadataMaxAge = -1 }, []string{"metadata.max.age.ms"}},
		{"partitions", func(c *kafka.Config) { c.TopicCreation.Partitions = -2 }, []string{"topic.creation.default.partitions"}},
		{"replication", func(c *kafka.Config) { c.TopicCreation.ReplicationFactor = -2 }, []string{"topic.creation.default.replication.factor"}},
		{"protocol", func(c *kafka.Config) { c.Security.Protocol = "TLS" }, []string{"security.protocol"}},
		{"SASL without a protocol for it", func(c *kafka.Config) { sasl(c); c.Security.Protocol = "SSL" }, []string{"security.protocol", "SASL_SSL"}},
		{"mechanism", func(c *kafka.Config) { sasl(c); c.Security.SASLMechanism = "GSSAPI" }, []string{"sasl.mechanism", "GSSAPI"}},
		{"no user, no password", func(c *kafka.Config) { sasl(c); c.Security.SASLUsername, c.Security.SASLPassword = "", nil }, []string{"sasl.username", "sasl.password"}},
		{"JKS", func(c *kafka.Config) { c.Security.SSLTruststoreType, c.Security.SSLKeystoreType = "JKS", "PKCS12" }, []string{"ssl.truststore.type", "ssl.keystore.type"}},
		{"identification", func(c *kafka.Config) { c.Security.SSLEndpointIdentificationAlgorithm = "ldaps" }, []string{"ssl.endpoint.identification.algorithm"}},
		{"files without TLS", func(c *kafka.Config) { c.Security.SSLTruststoreLocation = "x.pem" }, []string{"security.protocol"}},
		{"all mistakes at once", func(c *kafka.Config) {
			c.BootstrapServers, c.CompressionType, c.Linger, c.Security.Protocol = nil, "x", -1, "x"
		}, []string{"bootstrap.servers", "compression.type", "linger.ms", "security.protocol"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := good()
			c.change(&cfg)
			err := cfg.Validate()
			if (err == nil) != (c.want == nil) {
				t.Fatalf("Validate returned %v", err)
			}
			for _, text := range c.want {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("the error does not say %q: %v", text, err)
				}
			}
			if _, err := kafka.New(cfg, zerolog.Nop(), nil); (err == nil) != (c.want == nil) {
				t.Errorf("New returned %v", err)
			}
		})
	}
}

func TestOldBrokerIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		versions *kversion.Versions
		ok       bool
	}{
		{"2.0", kversion.V2_0_0(), false},
		{"2.1", kversion.V2_1_0(), true},
		{"2.4", kversion.V2_4_0(), true},
		{"3.9", kversion.V3_9_0(), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cl := newCluster(t, kfake.MaxVersions(c.versions), kfake.SeedTopics(2, "a"))
			r := newRig(t, cl.config())
			src := newSource(messages("a", 100, 10)...)
			src.close()
			err := r.start(t, src).wait()
			if !c.ok {
				checkConfigError(t, err, "bootstrap.servers", "older than Kafka 2.1")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkComplete(t, cl, "a", src)
		})
	}
}

// What only a change of configuration or rights can mend ends Run, by name.
func TestMisconfigured(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		key    kmsg.Key
		err    *kerr.Error
		option string
		text   string
	}{
		{"no right to be idempotent", kmsg.InitProducerID, kerr.ClusterAuthorizationFailed, "right IdempotentWrite on the cluster", "kafka-acls"},
		{"the same from produce", kmsg.Produce, kerr.ClusterAuthorizationFailed, "right IdempotentWrite on the cluster", "kafka-acls"},
		{"codec", kmsg.Produce, kerr.UnsupportedCompressionType, "compression.type", "UNSUPPORTED_COMPRESSION_TYPE"},
		{"message format", kmsg.Produce, kerr.UnsupportedForMessageFormat, "log.message.format.version of the broker", "UNSUPPORTED_FOR_MESSAGE_FORMAT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cl := newCluster(t, kfake.SeedTopics(2, "a"))
			r := newRig(t, cl.config())
			cl.Fault(kfake.Fault{Keys: []kmsg.Key{c.key}, Err: c.err, Count: -1})
			src := newSource(messages("a", 10, 10)...)
			checkConfigError(t, r.start(t, src).wait(), c.option, c.text)
			if n := len(src.ackedMessages()); n != 0 {
				t.Errorf("%d records were acknowledged", n)
			}
		})
	}
}

// A coordinator that is loading gives no producer id yet: that passes.
func TestProducerIDIsRetried(t *testing.T) {
	t.Parallel()
	for _, code := range []*kerr.Error{kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable, kerr.UnknownServerError} {
		t.Run(code.Message, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, kfake.SeedTopics(2, "a"))
			r := newRig(t, c.config())
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Err: code, Count: 3})
			src := newSource(messages("a", 100, 10)...)
			r.runAll(t, src)
			checkComplete(t, c, "a", src)
			if n := r.obs.failed(code.Message); n != 3 {
				t.Errorf("%d failures were counted, want 3", n)
			}
			if n := strings.Count(r.log.String(), "takes records again"); n != 1 {
				t.Errorf("%d log lines say that it is over, want 1", n)
			}
		})
	}
}
