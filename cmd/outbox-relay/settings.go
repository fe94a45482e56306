package main

import (
	"errors"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/internal/postgres"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// settings are the values of all options.
type settings struct {
	database    postgres.Database
	replication replication.Config
	router      router.Options
	kafka       kafka.Config
	secrets     kafkaSecrets
	check       check
	converters  []*converter
	imported    imported
	connector   connector
	otel        telemetry
	exporting   exporting // set when the relay starts
	failures    failures
	shard       shard

	partitions        int
	replicationFactor int
	queueSize         int
	queueBytes        int64
	shutdownTimeout   time.Duration
	listenAddress     string
	webConfig         string
	exposed           []string // secrets on the command line
	readyMaxAge       time.Duration
	pprof             bool
	logLevel          string
	logFormat         string
}

// declare names every option once: its group, default and help.
func declare() (*options.Set, *settings) {
	s := &settings{router: router.DefaultOptions()}
	set := options.New(options.Program{
		Name:    program,
		Summary: "Publishes the rows of an outbox table to Kafka, as Debezium's Outbox Event Router would, from PostgreSQL's WAL.",
		Examples: []string{
			"# The first start, which makes the slot:\noutbox-relay -database.url postgres://relay@db:5432/shop -table.include.list public.outbox -bootstrap.servers kafka:9092 -slot.create",
			"# Every other, with options from a file and a secret from another:\nOUTBOX_RELAY_DATABASE_PASSWORD_FILE=/run/secrets/pg outbox-relay -config /etc/outbox-relay/outbox-relay.conf",
			"# What a Debezium connector's configuration comes to:\noutbox-relay -config connector.json -bootstrap.servers kafka:9092 -config.print",
			"# Tab completion in bash; zsh and fish likewise:\nsource <(outbox-relay -completion bash)",
		},
		Footer: "Exit codes: 0 stopped in order, 1 starting again may help, 2 the configuration must change, 3 a person must decide.",
	})
	s.database.Declare(set.Group("PostgreSQL"), "LOGIN and REPLICATION", "the outbox table")
	s.declareSlot(set.Group("Slot and publication"))
	s.declareRouter(set.Group("Outbox Event Router"))
	s.declareExpansion(set.Group("Outbox Event Router"))
	s.declareConnector(set.Group("Debezium's connector"))
	s.declareConverters(set.Group("Converters"))
	s.declareTypes(set.Group("Column types"))
	s.declareKafka(set.Group("Kafka"))
	s.declareTopics(set.Group("Topics"))
	s.declareErrors(set.Group("Events that cannot be sent"))
	s.declareLimits(set.Group("Limits"))
	s.declareOperation(set.Group("Operation"))
	s.otel.declare(set.Group("OpenTelemetry"))
	set.Rule(func() error { s.chooseTables(set); return errors.Join(s.divide(set), s.replication.Validate()) }, "slot.name", "publication.name", "table.include.list", "status.update.interval.ms", "shard.count", "shard.index")
	s.imported.declare(set.Group("Debezium's configuration"))
	set.SetImporter(&s.imported)
	set.Rule(func() error { s.noteExposed(set); return nil })
	set.Rule(s.checkConnector)
	set.Rule(s.checkRouter)
	set.Rule(func() error { return s.imported.check(&s.router) })
	set.Rule(s.checkHeartbeat)
	set.Rule(s.otel.check)
	set.Rule(s.checkErrors)
	set.Rule(s.checkKafka, "bootstrap.servers")
	set.Rule(s.database.Check)
	return set, s
}

func (s *settings) declareSlot(g *options.Group) {
	r := &s.replication
	g.String(&r.Slot, "slot.name", "outbox_relay", "logical replication `slot` to read; made on a proven first start only")
	g.Bool(&r.CreateSlot, "slot.create", false, "make a missing slot although this may not be the first start; events committed while there was none are not relayed")
	g.Duration(&r.CreateTimeout, "slot.create.timeout", 90*time.Second, "how long making the slot may wait for running transactions", options.AtLeast(time.Second))
	g.String(&r.Publication, "publication.name", "outbox_relay", "`publication` that carries the outbox table's inserts")
	s.declareShard(g)
	s.declareAutocreate(g)
	s.declareSnapshot(g)
	s.declareTables(g)
	g.Duration(&r.StatusInterval, "status.update.interval.ms", 10*time.Second, "longest time between two reports to the server; a position that moved is reported within a second", options.AtLeast(100*time.Millisecond), options.AtMost(30*time.Second))
}

func (s *settings) declareRouter(g *options.Group) {
	o := &s.router
	g.String(&o.EventID, "table.field.event.id", o.EventID, "`column` that becomes the header id")
	g.String(&o.EventKey, "table.field.event.key", o.EventKey, "`column` that becomes the record's key")
	g.String(&o.EventType, "table.field.event.type", o.EventType, "`column` with the event's type; as in Debezium it is only used where table.fields.additional.placement names it")
	g.String(&o.EventPayload, "table.field.event.payload", o.EventPayload, "`column` that becomes the record's value")
	g.String(&o.EventTimestamp, "table.field.event.timestamp", o.EventTimestamp, "timestamp `column` that becomes the record's time; empty takes the time of processing")
	g.String(&o.AdditionalPlacement, "table.fields.additional.placement", o.AdditionalPlacement, "more columns to send, as column:header:alias, column:envelope:alias or column:partition, separated by commas")
	g.String(&o.AdditionalMissing, "table.field.additional.missing", o.AdditionalMissing, "what to do if the table lacks one of those columns: error or ignore", options.OneOf("error", "ignore"))
	g.String(&o.RouteByField, "route.by.field", o.RouteByField, "`column` that chooses the topic")
	g.String(&o.RouteTopicRegex, "route.topic.regex", o.RouteTopicRegex, "Java regular `expression` for the whole value of that column; another value is the topic itself")
	g.String(&o.RouteTopicReplacement, "route.topic.replacement", o.RouteTopicReplacement, "`topic` for a value that matches, with groups as $1 or ${name}")
	g.Bool(&o.RouteTombstoneOnEmptyPayload, "route.tombstone.on.empty.payload", false, "send a null value for a payload that is NULL or blank")
	g.String(&o.TraceField, "tracing.span.context.field", "", "`column` with the context of the trace that the event belongs to, as Debezium's outbox extension for Quarkus writes it (tracingspancontext), or a bare traceparent; it becomes the headers traceparent, tracestate and baggage")
	g.String(&o.OpInvalidBehavior, "table.op.invalid.behavior", o.OpInvalidBehavior, "what to do about an UPDATE of the outbox table, which is not relayed: warn, error (log it so) or fatal (stop)", options.OneOf("warn", "error", "fatal"))
}

func (s *settings) declareKafka(g *options.Group) {
	k := &s.kafka
	g.List(&k.BootstrapServers, "bootstrap.servers", nil, "`host:port` of brokers to ask first, separated by commas", options.Required())
	g.String(&k.ClientID, "client.id", kafka.DefaultClientID, "`name` in the brokers' logs and quotas")
	g.String(&k.CompressionType, "compression.type", "none", "how batches are compressed", options.OneOf("none", "gzip", "snappy", "lz4", "zstd"))
	g.Int(&k.BatchSize, "batch.size", kafka.DefaultBatchSize, "`bytes` at which a partition's batch is full", options.AtLeast(1))
	g.Duration(&k.Linger, "linger.ms", 0, "how long a batch that is not full waits for more", options.AtLeast(time.Duration(0)))
	g.Int(&k.MaxRequestSize, "max.request.size", kafka.DefaultMaxRequestSize, "largest record, in `bytes` before compression", options.AtLeast(1))
	g.Duration(&k.RequestTimeout, "request.timeout.ms", kafka.DefaultRequestTimeout, "how long a request may wait for its answer before it is repeated", options.AtLeast(time.Millisecond))
	g.Duration(&k.RetryBackoff, "retry.backoff.ms", kafka.DefaultRetryBackoff, "pause before the first repeat; it doubles, and repeats never end", options.AtLeast(time.Millisecond))
	g.Duration(&k.RetryBackoffMax, "retry.backoff.max.ms", kafka.DefaultRetryBackoffMax, "longest pause between repeats", options.AtLeast(time.Millisecond))
	g.Duration(&k.MetadataMaxAge, "metadata.max.age.ms", kafka.DefaultMetadataMaxAge, "age at which partition leaders are looked up again though nothing failed", options.AtLeast(time.Millisecond))
	s.declareKafkaSecurity(g)
}

func (s *settings) declareTopics(g *options.Group) {
	t := &s.kafka.TopicCreation
	g.Bool(&t.Enable, "topic.creation.enable", false, "create topics that do not exist; otherwise a row for one stops the relay")
	g.Int(&s.partitions, "topic.creation.default.partitions", -1, "partitions of created topics; -1 leaves it to the brokers", options.AtLeast(-1), options.AtMost(100_000))
	g.Int(&s.replicationFactor, "topic.creation.default.replication.factor", -1, "replicas of created topics; -1 leaves it to the brokers", options.AtLeast(-1), options.AtMost(1000))
}

func (s *settings) declareLimits(g *options.Group) {
	g.Int(&s.queueSize, "max.queue.size", 65536, "`events` that may be read and not yet acknowledged", options.AtLeast(1))
	g.Bytes(&s.queueBytes, "max.queue.size.in.bytes", 8<<20, "memory of those events", options.AtLeast(int64(1<<20)))
	g.Duration(&s.shutdownTimeout, "shutdown.timeout", 20*time.Second, "how long a stop may wait for acknowledgements; keep it below what the supervisor allows (Kubernetes: 30 s)", options.AtLeast(time.Duration(0)))
}

func (s *settings) declareOperation(g *options.Group) {
	g.String(&s.listenAddress, "web.listen-address", ":9290", "`host:port` for /metrics, /livez, /readyz and /status; port 0 takes a free one", options.NotEmpty())
	s.declareWebSecurity(g)
	s.check.declare(g)
	g.Bool(&s.pprof, "web.pprof", false, "serve Go's profiles under /debug/pprof/")
	g.Duration(&s.readyMaxAge, "ready.max-age", time.Minute, "age of the oldest unacknowledged event, since its commit, at which /readyz turns red", options.AtLeast(time.Millisecond))
	g.String(&s.logLevel, "log.level", "info", "the least important lines that are logged", options.OneOf(logging.Levels()...))
	g.String(&s.logFormat, "log.format", logging.Auto, "auto is console on a terminal and json elsewhere", options.OneOf(logging.Formats()...))
	declareInformation(g)
}

// checkKafka completes the Kafka options and checks them.
func (s *settings) checkKafka() error {
	s.kafka.TopicCreation.Partitions = int32(s.partitions)
	s.kafka.TopicCreation.ReplicationFactor = int16(s.replicationFactor)
	if err := s.secrets.complete(&s.kafka.Security); err != nil {
		return err
	}
	return s.kafka.Validate()
}
