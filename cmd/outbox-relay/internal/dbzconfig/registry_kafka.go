package dbzconfig

func producerOptions() []Option {
	const always = "the relay's producer has acks=all, idempotence and endless repeats, always"
	const pem = "only files in PEM are read; convert it with keytool and openssl"
	out := []Option{
		{Name: "bootstrap.servers"},
		{Name: "client.id"},
		{Name: "compression.type", value: enum},
		{Name: "linger.ms", value: number},
		{Name: "batch.size", value: number},
		{Name: "max.request.size", value: number},
		{Name: "request.timeout.ms", value: number},
		{Name: "retry.backoff.ms", value: number},
		{Name: "retry.backoff.max.ms", value: number},
		{Name: "metadata.max.age.ms", value: number},
		{Name: "acks", Status: Irrelevant, Reason: always},
		{Name: "enable.idempotence", Status: Irrelevant, Reason: always},
		{Name: "retries", Status: Irrelevant, Reason: always},
		{Name: "delivery.timeout.ms", Status: Irrelevant, Reason: always},
		{Name: "max.block.ms", Status: Irrelevant, Reason: always},
		{Name: "max.in.flight.requests.per.connection", Status: Irrelevant, Reason: always},
		{Name: "buffer.memory", Status: Irrelevant, Reason: "max.queue.size.in.bytes bounds the relay's memory"},
		{Name: "transactional.id", Status: Refused, Reason: "the relay sends without transactions"},
		{Name: "transaction.timeout.ms", Status: Irrelevant, Reason: "the relay sends without transactions"},
		{Name: "partitioner.class", Status: Refused, Reason: "it chooses the partition of each record; the relay does as Kafka's default",
			Harmless: []string{"", "org.apache.kafka.clients.producer.internals.DefaultPartitioner"}},
		{Name: "partitioner.ignore.keys", Status: Refused, Reason: "the relay puts records of one key into one partition", Harmless: []string{"false"}},
		{Name: "partitioner.*", Status: Irrelevant, Reason: "of records without a key"},
		{Name: "interceptor.classes", Status: Refused, Reason: "a Java class that may change each record, for instance add headers", Harmless: []string{""}},
		{Name: "key.serializer", Status: Refused, Reason: serializerReason, Harmless: plainSerializers},
		{Name: "value.serializer", Status: Refused, Reason: serializerReason, Harmless: plainSerializers},
		{Name: "schema.registry.url", Status: Irrelevant, Reason: "of a registry's serializer, which is refused"},
		{Name: "security.protocol"},
		{Name: "sasl.mechanism"},
		{Name: "sasl.jaas.config", Flag: "sasl.username", Reason: "username and password of PlainLoginModule or ScramLoginModule; clientId, clientSecret and scope of OAuthBearerLoginModule", read: (*importer).readJAAS},
		{Name: "sasl.oauthbearer.token.endpoint.url"},
		{Name: "sasl.oauthbearer.client.credentials.client.id"},
		{Name: "sasl.oauthbearer.client.credentials.client.secret"},
		{Name: "sasl.oauthbearer.scope"},
		{Name: "ssl.truststore.location"},
		{Name: "ssl.truststore.type", Status: Refused, Reason: pem, Harmless: []string{"PEM"}},
		{Name: "ssl.truststore.password", Status: Irrelevant, Reason: "of a trust store that is not in PEM, which is refused"},
		{Name: "ssl.truststore.certificates"},
		{Name: "ssl.keystore.location"},
		{Name: "ssl.keystore.type", Status: Refused, Reason: pem, Harmless: []string{"PEM"}},
		{Name: "ssl.keystore.password", Status: Irrelevant, Reason: "of a key store that is not in PEM, which is refused"},
		{Name: "ssl.keystore.certificate.chain"},
		{Name: "ssl.keystore.key"},
		{Name: "ssl.key.password", Reason: "of a key encrypted as PKCS #8 with PBES2"},
		{Name: "ssl.endpoint.identification.algorithm", words: map[string]string{"": "none"}},
		{Name: "ssl.*", Status: Irrelevant, Reason: "protocols and ciphers are chosen by the relay's TLS library"},
		{Name: "sasl.*", Status: Irrelevant, Reason: "tunes mechanisms that the relay does not have"},
		{Name: "connections.*", Status: Irrelevant, Reason: "the relay keeps its connections as long as they work"},
		{Name: "reconnect.backoff*", Status: Irrelevant, Reason: "retry.backoff.ms is the relay's pause"},
		{Name: "socket.*", Status: Irrelevant, Reason: "the operating system chooses"},
		{Name: "send.buffer.bytes", Status: Irrelevant, Reason: "the operating system chooses"},
		{Name: "receive.buffer.bytes", Status: Irrelevant, Reason: "the operating system chooses"},
		{Name: "client.dns.lookup", Status: Irrelevant, Reason: "names are resolved at each connect, and all addresses tried"},
		{Name: "metadata.*", Status: Irrelevant, Reason: "leaders are looked up when they are needed"},
		{Name: "metrics.*", Status: Irrelevant, Reason: noJMX},
		{Name: "metric.*", Status: Irrelevant, Reason: noJMX},
		{Name: "enable.metrics.push", Status: Irrelevant, Reason: noJMX},
	}
	for i := range out {
		out[i].Scope = Producer
	}
	return out
}

const serializerReason = "it wraps what the format has made, so consumers see other bytes; the relay sends the format's bytes"

// plainSerializers pass on what the format made.
var plainSerializers = []string{"org.apache.kafka.common.serialization.StringSerializer", "org.apache.kafka.common.serialization.ByteArraySerializer"}

func workerOptions() []Option {
	const own = "of the worker's own clients: only options named producer.* reach Connect's producers"
	out := []Option{
		{Name: "bootstrap.servers"},
		{Name: "key.converter", Flag: noFlag, Reason: "if the connector has no key.converter"},
		{Name: "key.converter.*", Flag: noFlag, Reason: "likewise"},
		{Name: "value.converter", Flag: noFlag, Reason: "if the connector has no value.converter"},
		{Name: "value.converter.*", Flag: noFlag, Reason: "likewise"},
		{Name: "header.converter", Flag: noFlag, Reason: "if the connector has no header.converter"},
		{Name: "header.converter.*", Flag: noFlag, Reason: "likewise"},
		{Name: "producer.*", Flag: noFlag, Reason: "see the table of the producer"},
		{Name: "topic.creation.enable", Default: "true", value: boolean, Reason: "false keeps topic.creation.default.* of the connector from creating topics"},
		{Name: "config.providers*", Flag: noFlag, Reason: "which placeholders stand for files and variables"},
		{Name: "security.protocol", Status: Irrelevant, Reason: own, Tell: true, Harmless: []string{"", "PLAINTEXT"}},
		{Name: strimziPrefix + "tls", Status: Irrelevant, Tell: true, Reason: "tls of a KafkaConnect is not read: set -security.protocol and -ssl.truststore.location"},
		{Name: strimziPrefix + "authentication", Status: Irrelevant, Tell: true, Reason: "authentication of a KafkaConnect is not read: set -sasl.mechanism, -sasl.username and -sasl.password.file, or -ssl.keystore.location"},
	}
	for _, name := range []string{"sasl.*", "ssl.*", "consumer.*", "admin.*", "client.*", "connector.client.config.override.policy", "request.timeout.ms", "retry.backoff.*"} {
		out = append(out, Option{Name: name, Status: Irrelevant, Reason: own})
	}
	for _, name := range []string{"group.id", "offset.*", "offsets.*", "config.storage.*", "status.storage.*", "plugin.*", "rest.*", "listeners*", "internal.*",
		"task.shutdown.graceful.timeout.ms", "session.timeout.ms", "heartbeat.interval.ms", "rebalance.timeout.ms", "scheduled.rebalance.max.delay.ms", "worker.*",
		"exactly.once.source.support", "access.control.*", "connect.protocol", "inter.worker.*", "metrics.*", "metric.*", "topic.tracking.*", "cub.kafka.*"} {
		out = append(out, Option{Name: name, Status: Irrelevant, Reason: "runs the worker"})
	}
	for i := range out {
		out[i].Scope = Worker
	}
	return out
}

func serverOptions() []Option {
	const other = "of a sink that the relay does not have"
	out := []Option{
		{Name: "debezium.sink.type", Flag: "debezium.server", Reason: "kafka only", read: (*importer).readSink},
		{Name: "debezium.sink.kafka.producer.*", Flag: noFlag, Reason: "see the table of the producer"},
		{Name: "debezium.sink.kafka.wait.message.delivery.timeout.ms", Status: Irrelevant, Reason: "the relay waits for Kafka as long as it takes"},
		{Name: "debezium.sink.*", Status: Irrelevant, Reason: other},
		{Name: "debezium.source.*", Flag: noFlag, Reason: "see the tables of the connector and of Connect"},
		{Name: "debezium.transforms*", Flag: noFlag, Reason: "likewise debezium.source.transforms, which is weaker"},
		{Name: "debezium.predicates*", Flag: noFlag, Reason: "likewise debezium.source.predicates, which is weaker"},
		{Name: "debezium.format.key", Flag: "key.converter", Default: "json", Reason: "json, jsonbytearray, simplestring or binary"},
		{Name: "debezium.format.value", Flag: "value.converter", Default: "json", Reason: "json, jsonbytearray, simplestring or binary"},
		{Name: "debezium.format.header", Flag: "header.converter", Default: "json", Reason: "json or jsonbytearray"},
		{Name: "debezium.format.key.*", Flag: noFlag, Reason: "the converter's options, and class for another class"},
		{Name: "debezium.format.value.*", Flag: noFlag, Reason: "the converter's options, and class for another class"},
		{Name: "debezium.format.header.*", Flag: noFlag, Reason: "the converter's options, and class for another class"},
		{Name: "debezium.format.*", Flag: noFlag, Reason: "the converter's options for all three"},
		{Name: "debezium.termination.wait", Status: Irrelevant, Reason: "the relay's shutdown.timeout bounds its stop"},
		{Name: "debezium.engine.*", Status: Irrelevant, Reason: "of Debezium's engine"},
		{Name: "debezium.api.*", Status: Irrelevant, Reason: "of Debezium Server's own REST API"},
		{Name: "quarkus.*", Status: Irrelevant, Reason: "of Debezium Server's runtime"},
	}
	for i := range out {
		out[i].Scope = Server
	}
	return out
}
