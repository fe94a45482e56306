package dbzconfig

func connectOptions() []Option {
	const oneTask = "the connector for PostgreSQL runs one task, whatever this says"
	const aside = "with errors.tolerance=all and a topic: Connect has dead letters for sink connectors only, the relay for all events"
	out := []Option{
		{Name: "name", Status: Irrelevant, Reason: "of the REST API"},
		{Name: "connector.class", Flag: noFlag, Reason: "must be the connector for PostgreSQL", read: (*importer).readClass},
		{Name: "connector.plugin.version", Status: Irrelevant, Reason: "chooses among installed plug-ins"},
		{Name: "tasks.max", Status: Irrelevant, Reason: oneTask, Tell: true, Harmless: []string{"", "1"}},
		{Name: "tasks.max.enforce", Status: Irrelevant, Reason: oneTask},
		{Name: "key.converter", Reason: "see the table of converters"},
		{Name: "value.converter", Reason: "see the table of converters"},
		{Name: "header.converter", Default: "simple", Reason: "see the table of converters"},
		{Name: "internal.key.converter*", Status: Irrelevant, Reason: "of Connect's own records; gone since Kafka 3.0"},
		{Name: "internal.value.converter*", Status: Irrelevant, Reason: "of Connect's own records; gone since Kafka 3.0"},
		{Name: "transforms", Flag: "transforms.after", Reason: "see the table of other transforms"},
		{Name: "predicates", Flag: noFlag, Reason: "see the table of other transforms"},
		{Name: "config.action.reload", Status: Irrelevant, Reason: "of Connect's config providers"},
		{Name: "errors.tolerance", value: enum, read: (*importer).readTolerance},
		{Name: "errors.retry.timeout", value: number, Reason: "of sending: routing and converting a row has the same outcome each time; 0, Connect's default, is for ever", read: (*importer).readRetryTimeout},
		{Name: "errors.retry.delay.max.ms", value: number, Reason: "of sending, as above, if retry.backoff.max.ms is not shorter"},
		{Name: "errors.log.enable", value: boolean, Reason: "of dead letters: what stops the relay is always logged"},
		{Name: "errors.log.include.messages", value: boolean, Reason: "of dead letters: key and headers, never a payload"},
		{Name: "errors.deadletterqueue.topic.name", Reason: "only with errors.tolerance=all: Connect ignores it on a source connector, the relay does not", read: (*importer).readDeadLetters},
		{Name: "errors.deadletterqueue.topic.replication.factor", value: number, Reason: aside, read: (*importer).readAside},
		{Name: "errors.deadletterqueue.context.headers.enable", value: boolean, Reason: aside + "; the relay's default is true", read: (*importer).readAside},
		{Name: "errors.deadletterqueue.*", Status: Irrelevant, Reason: "no option of Kafka Connect"},
		{Name: "topic.creation.groups", Status: Irrelevant, Tell: true, Harmless: []string{""}, Reason: "the relay creates all topics alike; make those of the groups beforehand"},
		{Name: "topic.creation.default.partitions", value: number, read: (*importer).readTopicCreation},
		{Name: "topic.creation.default.replication.factor", value: number, read: (*importer).readTopicCreation},
		{Name: "topic.creation.default.include", Status: Irrelevant, Reason: "Connect ignores it for the default group"},
		{Name: "topic.creation.default.exclude", Status: Irrelevant, Reason: "Connect ignores it for the default group"},
		{Name: "topic.creation.default.*", Status: Irrelevant, Tell: true, Reason: "topics that the relay creates have the brokers' default for it; topics that exist are not touched"},
		{Name: "topic.creation.enable", Status: Irrelevant, Reason: "of the worker: Connect ignores it in a connector", read: (*importer).readWorkerOption},
		{Name: "topic.creation.*", Status: Irrelevant, Reason: "of a group; see topic.creation.groups"},
		{Name: "exactly.once.support", Status: Irrelevant, Tell: true, Harmless: []string{""}, Reason: "the relay sends without transactions: after a crash records repeat, each with the same id header"},
		{Name: "transaction.boundary*", Status: Irrelevant, Reason: "the relay sends without transactions"},
		{Name: "offsets.storage.topic", Status: Irrelevant, Reason: "the slot keeps the position"},
		{Name: "offset.storage*", Status: Irrelevant, Reason: "the slot keeps the position"},
		{Name: "offset.flush.*", Status: Irrelevant, Reason: "the slot keeps the position; it is confirmed as soon as Kafka has acknowledged"},
		{Name: "offset.commit.policy", Status: Irrelevant, Reason: "the slot keeps the position"},
		{Name: "producer.override.*", Flag: noFlag, Reason: "see the table of the producer"},
		{Name: "consumer.override.*", Status: Irrelevant, Reason: "a source connector has no consumer"},
		{Name: "admin.override.*", Status: Irrelevant, Reason: "the relay creates topics through its producer's connections"},
		{Name: "output.data.format", Status: Irrelevant, Reason: "of Confluent Cloud, whose own names for converters are not known here; choose value.converter"},
		{Name: "output.key.format", Status: Irrelevant, Reason: "of Confluent Cloud, whose own names for converters are not known here; choose key.converter"},
		{Name: "kafka.*", Status: Irrelevant, Reason: "of Confluent Cloud: how its connector reaches Kafka"},
	}
	for i := range out {
		out[i].Scope = Connect
	}
	return out
}

func routerOptions() []Option {
	const tracing = "where Connect runs with OpenTelemetry, it adds headers such as traceparent; the relay does so if its own option tracing.span.context.field names the column"
	out := []Option{
		{Name: "type", Flag: noFlag, Reason: "io.debezium.transforms.outbox.EventRouter"},
		{Name: "table.field.event.id", Default: "id"},
		{Name: "table.field.event.key", Default: "aggregateid"},
		{Name: "table.field.event.type", Default: "type", Reason: "as in Debezium it does nothing by itself"},
		{Name: "table.field.event.timestamp"},
		{Name: "table.field.event.payload", Default: "payload"},
		{Name: "table.field.event.schema.version"},
		{Name: "table.fields.additional.placement", read: (*importer).readPlacement},
		{Name: "table.field.additional.missing", Default: "error", value: enum},
		{Name: "route.by.field", Default: "aggregatetype"},
		{Name: "route.topic.regex", Default: "(?<routedByValue>.*)", read: (*importer).readLater},
		{Name: "route.topic.replacement", Default: "outbox.event.${routedByValue}", read: (*importer).readLater},
		{Name: "route.tombstone.on.empty.payload", value: boolean},
		{Name: "table.expand.json.payload", value: boolean},
		{Name: "table.json.payload.null.behavior", value: enum},
		{Name: "table.json.payload.empty.array.behavior", Status: Irrelevant, Tell: true, Harmless: []string{"ignore"},
			Reason: "Debezium has it since 3.7 only: 3.6.1 ignores it and leaves empty arrays out, and so does the relay. -table.json.payload.empty.array.behavior=optional_string keeps them, as 3.7 does"},
		{Name: "table.op.invalid.behavior", value: enum, read: (*importer).readOpInvalid},
		{Name: "field.name.adjustment.mode", value: enum},
		{Name: "predicate", Flag: noFlag, Reason: "TopicNameMatches only, decided for each outbox table when the configuration is read"},
		{Name: "negate", Flag: noFlag, Reason: "turns the predicate around"},
		{Name: "plugin.version", Status: Irrelevant, Reason: "chooses among installed plug-ins"},
		{Name: "tracing.*", Status: Irrelevant, Tell: true, Reason: tracing},

		{Name: "table.fields.additional.error.on.missing", Status: Obsolete, NewName: "table.field.additional.missing", Reason: "2.5 to 3.5", value: boolean, read: (*importer).readErrorOnMissing},
		{Name: "table.field.payload", Status: Obsolete, NewName: "table.field.event.payload", Reason: "until 1.9; 2.0 and later ignore it", read: (*importer).readRenamed},
		{Name: "table.field.payload.id", Status: Obsolete, NewName: "table.field.event.key", Reason: "the key where table.field.event.key is not set, until 1.9; 2.0 and later ignore it", read: (*importer).readRenamed},
		{Name: "table.field.event.payload.id", Status: Obsolete, NewName: "table.field.event.key", Reason: "the key where table.field.event.key is not set, until 1.9; 2.0 and later ignore it", read: (*importer).readRenamed},
		{Name: "table.field.schema.version", Status: Obsolete, NewName: "table.field.event.schema.version", Reason: "until 1.9; 2.0 and later ignore it", read: (*importer).readRenamed},
		{Name: "debezium.op.invalid.behavior", Status: Obsolete, NewName: "table.op.invalid.behavior", Reason: "until 1.9"},
		{Name: "debezium.expand.json.payload", Status: Obsolete, NewName: "table.expand.json.payload", Reason: "before 1.9"},
	}
	for i := range out {
		out[i].Scope = Router
	}
	return out
}

func converterOptions() []Option {
	const classes = "a registry's converter is refused, another has no such option"
	out := []Option{
		{Name: "(class)", Flag: noFlag, Reason: "StringConverter, JsonConverter, Kafka's ByteArrayConverter, Debezium's BinaryDataConverter (once ByteBufferConverter), SimpleHeaderConverter"},
		{Name: "schemas.enable", Default: "true", value: boolean, Reason: "JsonConverter's"},
		{Name: "decimal.format", Default: "BASE64", value: capitals, allowed: decimalFormats, Reason: "JsonConverter's"},
		{Name: "delegate.converter.type", Reason: "BinaryDataConverter's: string, json or simple"},
		{Name: "delegate.converter.type.schemas.enable", Default: "true", value: boolean, Reason: "of a JsonConverter behind BinaryDataConverter"},
		{Name: "delegate.converter.type.decimal.format", Default: "BASE64", value: capitals, allowed: decimalFormats, Flag: "decimal.format", Reason: "of a JsonConverter behind BinaryDataConverter"},
		{Name: "delegate.converter.type.*", Status: Irrelevant, Reason: "caches and defaults of the delegate, which change no byte"},
		{Name: "converter.encoding", Status: Refused, Reason: "strings are UTF-8", Harmless: []string{"UTF-8", "UTF8"}},
		{Name: "schemas.cache.size", Status: Irrelevant, Reason: "a cache"},
		{Name: "replace.null.with.default", Status: Irrelevant, Reason: "the router has replaced NULL by the column's default before the converter sees it"},
		{Name: "converter.type", Status: Irrelevant, Reason: "Connect sets it itself"},
		{Name: "plugin.version", Status: Irrelevant, Reason: "chooses among installed plug-ins"},
		{Name: "schema.registry.url", Status: Irrelevant, Reason: classes},
		{Name: "apicurio.registry.*", Status: Irrelevant, Reason: classes},
	}
	for i := range out {
		out[i].Scope = Converter
	}
	return out
}

// decimalFormats are the ways in which JsonConverter writes decimals.
var decimalFormats = []string{"BASE64", "NUMERIC"}

func transformOptions() []Option {
	out := []Option{
		{Name: "RegexRouter", Flag: "transforms.after", Reason: "org.apache.kafka.connect.transforms.RegexRouter behind the router; before it, it has an effect on heartbeats only, whose topic it names (-heartbeat.topic)"},
		{Name: "DropHeaders", Flag: "transforms.after", Reason: "org.apache.kafka.connect.transforms.DropHeaders behind the router"},
		{Name: "InsertHeader", Flag: "transforms.after", Reason: "org.apache.kafka.connect.transforms.InsertHeader behind the router, with a value.literal that Connect reads as text, a whole number, true or false"},
		{Name: "DecodeLogicalDecodingMessageContent", Flag: includeMessages, Reason: decodeClass + " before the router makes events of the messages of pg_logical_emit_message"},
		{Name: "fields.null.include", Flag: messageNulls, Reason: "of DecodeLogicalDecodingMessageContent"},
		{Name: "ExtractNewRecordState", Status: Irrelevant, Tell: true, Reason: unwrapReason},
		{Name: "TopicNameMatches", Flag: noFlag, Reason: "on the router it is decided for each outbox table when the configuration is read; on a transform behind the router for each record"},
		{Name: "other predicates", Status: Refused, Reason: "they look at a record in ways that the relay has not"},
		{Name: "other transforms", Status: Refused, Reason: "Java classes that change records; also those above, if they stand before the router and it would see what they do"},
	}
	for i := range out {
		out[i].Scope = Transform
	}
	return out
}

const unwrapReason = "behind the router it has no envelope to unwrap. It drops records without a value, though, unless delete.tombstone.handling.mode " +
	"(once drop.tombstones) says otherwise: the relay sends them"
