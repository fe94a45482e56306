package dbzconfig

// Reasons that several options share.
const (
	noQueue    = "sizes the connector's own queue; the relay bounds what is not acknowledged by max.queue.size of its own"
	noSnapshot = "tunes how the connector reads a snapshot, not what is in it"
	noSignal   = "signals (ad hoc snapshots) are not read"
	noHistory  = "the connector for PostgreSQL keeps no schema history"
	noJMX      = "names or tunes the connector's own metrics; the relay has its own"
	noRetry    = "the relay repeats connecting without end, as its own options say"
	noChange   = "it is about updates and deletes, which the router drops"
	noPlace    = "of the envelope's source block, which the router drops"
	newColumns = "it changes the columns that the router sees"
	notRelayed = "it makes Debezium send records besides those of the outbox tables; the relay sends those alone"
	otherTopic = "it changes the topics that predicates and heartbeats see"
)

func connectorOptions() []Option {
	var out []Option
	for _, part := range [][]Option{connectionOptions(), slotOptions(), tableOptions(), snapshotOptions(), heartbeatOptions(),
		typeOptions(), topicOptions(), engineOptions(), oldConnectorOptions()} {
		out = append(out, part...)
	}
	for i := range out {
		out[i].Scope = Connector
	}
	return out
}

func connectionOptions() []Option {
	return []Option{
		{Name: "database.hostname"},
		{Name: "database.port", value: number},
		{Name: "database.user"},
		{Name: "database.password", Reason: "a file of its own becomes database.password.file, which is read at each connect", read: (*importer).readPassword},
		{Name: "database.dbname"},
		{Name: "database.sslmode", value: enum},
		{Name: "database.sslrootcert"},
		{Name: "database.sslcert"},
		{Name: "database.sslkey", Reason: "in PEM; the PKCS-8 form (.pk8) that Java wants must be converted", read: (*importer).readSSLKey},
		{Name: "database.sslpassword", Status: Refused, Reason: "the relay reads keys without a password only; take it off with openssl pkey"},
		{Name: "database.sslfactory", Status: Refused, Reason: "a Java class checks the server's certificate; say what it does by database.sslmode and database.sslrootcert",
			Harmless: []string{""}},
		{Name: "database.tcpKeepAlive", Status: Irrelevant, Reason: "the relay's connections have keep-alive on"},
		{Name: "database.query.timeout.ms", Status: Irrelevant, Reason: "the relay bounds its own queries"},
		{Name: "database.include.list", Status: Irrelevant, Reason: "the connector for PostgreSQL reads one database, database.dbname"},
		{Name: "database.exclude.list", Status: Irrelevant, Reason: "the connector for PostgreSQL reads one database, database.dbname"},
		{Name: "database.initial.statements", Status: Irrelevant, Reason: "the relay sets what its sessions need, whatever the server's defaults are"},
		{Name: "connection.validation.timeout.ms", Status: Irrelevant, Reason: "there is no validation step; the first connection is the test"},
	}
}

func slotOptions() []Option {
	return []Option{
		{Name: "plugin.name", Flag: noFlag, Default: "decoderbufs", Reason: "pgoutput only", read: (*importer).readPlugin},
		{Name: "slot.name", Default: "debezium"},
		{Name: "slot.drop.on.stop", value: boolean, read: (*importer).readDropOnStop},
		{Name: "slot.failover", value: boolean},
		{Name: "slot.stream.params", Status: Refused, Reason: "parameters for the decoding plug-in would change what the slot sends", Harmless: []string{""}},
		{Name: "slot.max.retries", Status: Irrelevant, Reason: noRetry},
		{Name: "slot.retry.delay.ms", Status: Irrelevant, Reason: noRetry},
		{Name: "publication.name", Default: "dbz_publication"},
		{Name: "publication.autocreate.mode", Default: "all_tables", value: enum, read: (*importer).readAutocreate},
		{Name: "publish.via.partition.root", Status: Irrelevant, Reason: "a publication that the relay makes has it where the outbox table is partitioned; an existing one must have it"},
		{Name: "replica.identity.autoset.values", Status: Irrelevant, Reason: noChange},
		{Name: "status.update.interval.ms", value: number, Reason: "kept between 100 ms and 30 s", read: (*importer).readStatusInterval},
		{Name: "xmin.fetch.interval.ms", Status: Irrelevant, Reason: noPlace},
		{Name: "lsn.flush.mode", Status: Irrelevant, Harmless: []string{"connector", "connector_and_driver"}, Tell: true,
			Reason: "the relay confirms what Kafka has acknowledged, always; whatever else moves the slot must stop doing so"},
		{Name: "flush.lsn.source", Status: Irrelevant, Harmless: []string{"true"}, Tell: true,
			Reason: "the relay confirms what Kafka has acknowledged, always; whatever else moves the slot must stop doing so"},
		{Name: "lsn.flush.timeout.*", Status: Irrelevant, Reason: "reports to the server do not block the relay"},
		{Name: "offset.mismatch.strategy", Status: Irrelevant, Reason: "there are no stored offsets: the slot's confirmed position is the only one"},
		{Name: "read.only", Status: Irrelevant, Reason: noSignal},
	}
}

func tableOptions() []Option {
	return []Option{
		{Name: "schema.include.list"},
		{Name: "schema.exclude.list"},
		{Name: "table.include.list", Default: ".*", Reason: "less the signal table", read: (*importer).readTables},
		{Name: "table.exclude.list"},
		{Name: "table.ignore.builtin", Status: Irrelevant, Reason: "no outbox table is among PostgreSQL's own"},
		{Name: "column.include.list", Status: Refused, Reason: "it leaves out a column that the router reads", read: (*importer).readColumns},
		{Name: "column.exclude.list"},
		{Name: "column.truncate.to.*", Status: Refused, Reason: newColumns},
		{Name: "column.mask.*", Status: Refused, Reason: newColumns},
		{Name: "column.propagate.source.type", Status: Refused, Reason: "it adds parameters to the schemas of columns", Harmless: []string{""}},
		{Name: "datatype.propagate.source.type", Status: Refused, Reason: "it adds parameters to the schemas of columns", Harmless: []string{""}},
		{Name: "converters", Status: Refused, Reason: "custom converters are Java classes that make values of columns", Harmless: []string{""}},
		{Name: "post.processors", Status: Refused, Reason: "post processors are Java classes that change rows", Harmless: []string{""}},
		{Name: "message.key.columns", Status: Irrelevant, Reason: "the router makes the key from table.field.event.key"},
		{Name: "schema.refresh.mode", Status: Irrelevant, Reason: noChange},
	}
}

func snapshotOptions() []Option {
	return []Option{
		{Name: "snapshot.mode", Default: "initial", value: enum, read: (*importer).readSnapshotMode},
		{Name: "snapshot.mode.*", Status: Irrelevant, Reason: "only read in the snapshot modes configuration_based and custom, which are refused"},
		{Name: "snapshot.custom.class", Status: Irrelevant, Reason: "only read in the snapshot mode custom, which is refused"},
		{Name: "snapshot.select.statement.overrides", Status: Irrelevant, Reason: "see the entry below"},
		{Name: "snapshot.select.statement.overrides.*", Status: Refused, Settles: "snapshot.mode",
			Reason: "the relay's snapshot takes all rows of the table. A statement that only orders them is a notice; with snapshot.mode=no_data it does not matter",
			read:   (*importer).readOverride},
		{Name: "snapshot.include.collection.list", Status: Refused, Settles: "snapshot.mode",
			Reason: "the relay's snapshot takes all its tables; set snapshot.mode=no_data if none is wanted", Harmless: []string{""}, read: (*importer).readSnapshotTables},
		{Name: "snapshot.query.mode*", Status: Refused, Settles: "snapshot.mode", Reason: "a Java class makes the snapshot's query", Harmless: []string{"select_all"}},
		{Name: "snapshot.locking.mode*", Status: Irrelevant, Reason: noSnapshot},
		{Name: "snapshot.isolation.mode", Status: Irrelevant, Reason: "the relay's snapshot is the one that the slot exports"},
		{Name: "snapshot.delay.ms", Status: Irrelevant, Reason: noSnapshot},
		{Name: "streaming.delay.ms", Status: Irrelevant, Reason: noSnapshot},
		{Name: "snapshot.fetch.size", Status: Irrelevant, Reason: noSnapshot},
		{Name: "snapshot.max.threads*", Status: Irrelevant, Reason: noSnapshot},
		{Name: "legacy.snapshot.max.threads", Status: Irrelevant, Reason: noSnapshot},
		{Name: "snapshot.lock.timeout.ms", Status: Irrelevant, Reason: noSnapshot},
		{Name: "snapshot.tables.order.by.row.count", Status: Irrelevant, Reason: noSnapshot},
		{Name: "min.row.count.to.stream.results", Status: Irrelevant, Reason: noSnapshot},
		{Name: "incremental.snapshot.*", Status: Irrelevant, Reason: noSignal},
		{Name: "signal.data.collection", Status: Irrelevant, Reason: noSignal, Tell: true, Harmless: []string{""}},
		{Name: "signal.*", Status: Irrelevant, Reason: noSignal},
	}
}

func heartbeatOptions() []Option {
	return []Option{
		{Name: "heartbeat.interval.ms", value: number},
		{Name: "heartbeat.action.query", Reason: "not one that writes the outbox table; without heartbeat.interval.ms Debezium does not run it", read: (*importer).readHeartbeat},
		{Name: "topic.heartbeat.prefix", Default: "__debezium-heartbeat"},
		{Name: "topic.heartbeat.name", Status: Refused, Reason: "the heartbeats' topic is named by topic.heartbeat.prefix and topic.prefix"},
	}
}

func typeOptions() []Option {
	return []Option{
		{Name: "decimal.handling.mode", value: enum},
		{Name: "time.precision.mode", value: enum},
		{Name: "binary.handling.mode", value: enum},
		{Name: "hstore.handling.mode", value: enum},
		{Name: "interval.handling.mode", value: enum},
		{Name: "money.fraction.digits", value: number},
		{Name: "include.unknown.datatypes", value: boolean},
		{Name: "unavailable.value.placeholder"},
		{Name: "field.name.adjustment.mode", Status: Refused, Reason: "on the connector it renames the columns that the router sees; on the transform it is honored", Harmless: []string{"none"}},
		{Name: "schema.name.adjustment.mode", Status: Refused, Reason: "it renames the envelope's schema", Harmless: []string{"none"}},
		{Name: "event.converting.failure.handling.mode", Status: Irrelevant, Reason: "a value that cannot be read stops the relay, which names it; nothing is sent in its place"},
	}
}

func topicOptions() []Option {
	return []Option{
		{Name: "topic.prefix", read: (*importer).readPrefix, Reason: "in the envelope's schema name, the context headers and the heartbeats' topic"},
		{Name: "topic.delimiter", Status: Refused, Reason: otherTopic, Harmless: []string{"."}},
		{Name: "topic.naming.strategy", Status: Refused, Reason: otherTopic, Harmless: []string{"io.debezium.schema.SchemaTopicNamingStrategy", "io.debezium.schema.DefaultTopicNamingStrategy"}},
		{Name: "topic.cache.size", Status: Irrelevant, Reason: "a cache"},
		{Name: "topic.transaction", Status: Irrelevant, Reason: "only read with provide.transaction.metadata, which is refused"},
		{Name: "provide.transaction.metadata", Status: Refused, Reason: notRelayed, Harmless: []string{"false"}},
		{Name: "transaction.metadata.factory", Status: Irrelevant, Reason: "only read with provide.transaction.metadata, which is refused"},
		{Name: "extended.headers.enabled", Default: "true", value: boolean, Reason: "the headers __debezium.context.*"},
		{Name: "notification.enabled.channels", Status: Refused, Reason: notRelayed, Harmless: []string{"", "log", "jmx", "log,jmx", "jmx,log"}},
		{Name: "notification.*", Status: Irrelevant, Reason: "only read with notification.enabled.channels"},
		{Name: includeMessages, Reason: "with DecodeLogicalDecodingMessageContent before the router; else Debezium sends messages to the topic <topic.prefix>.message, and the relay does not", read: (*importer).readMessages},
		{Name: excludeMessages, Reason: "likewise", read: (*importer).readMessages},
		{Name: "tombstones.on.delete", Status: Irrelevant, Reason: noChange},
		{Name: "skipped.operations", Flag: noFlag, Default: "t", Reason: "with u, updates never reach the router, so table.op.invalid.behavior has no effect", read: (*importer).readSkipped},
		{Name: "skip.messages.without.change", Status: Irrelevant, Reason: noChange},
		{Name: "sourceinfo.struct.maker", Status: Irrelevant, Reason: noPlace},
		{Name: "source.struct.version", Status: Irrelevant, Reason: noPlace},
		{Name: "event.processing.failure.handling.mode", Status: Irrelevant, Tell: true, Harmless: []string{"fail"}, Reason: "a row that cannot be read stops the relay; it is never skipped"},
		{Name: "event.deserialization.failure.handling.mode", Status: Irrelevant, Tell: true, Harmless: []string{"fail"}, Reason: "a row that cannot be read stops the relay; it is never skipped"},
	}
}

func engineOptions() []Option {
	return []Option{
		{Name: "max.batch.size", Status: Irrelevant, Reason: noQueue},
		{Name: "max.queue.size", Status: Irrelevant, Reason: noQueue},
		{Name: "max.queue.size.in.bytes", Status: Irrelevant, Reason: noQueue},
		{Name: "poll.interval.ms", Status: Irrelevant, Reason: "the relay does not poll: the server sends as soon as a transaction commits"},
		{Name: "query.fetch.size", Status: Irrelevant, Reason: noQueue},
		{Name: "errors.max.retries", Status: Irrelevant, Reason: noRetry},
		{Name: "retriable.restart.connector.wait.ms", Status: Irrelevant, Reason: noRetry},
		{Name: "custom.metric.tags", Status: Irrelevant, Reason: noJMX},
		{Name: "statistics.metrics.enabled", Status: Irrelevant, Reason: noJMX},
		{Name: "advanced.metrics.enable", Status: Irrelevant, Reason: noJMX},
		{Name: "queue.provider.type", Status: Irrelevant, Reason: noQueue},
		{Name: "memory.management.*", Status: Irrelevant, Reason: "how the connector keeps the schemas of tables in memory"},
		{Name: "custom.sanitize.pattern", Status: Irrelevant, Reason: "which values the connector's log hides; the relay's log shows no secret"},
		{Name: "executor.shutdown.timeout.ms", Status: Irrelevant, Reason: "the relay's shutdown.timeout bounds its stop"},
		{Name: "guardrail.*", Status: Irrelevant, Reason: "the relay reads its outbox tables only, however many others there are"},
		{Name: "openlineage.*", Status: Irrelevant, Reason: "lineage is not reported"},
		{Name: "internal.*", Status: Irrelevant, Reason: "Debezium's own, undocumented"},
		{Name: "schema.history.internal*", Status: Irrelevant, Reason: noHistory},
		{Name: "database.history*", Status: Irrelevant, Reason: noHistory},
		{Name: "include.schema.changes", Status: Irrelevant, Reason: noHistory},
		{Name: "include.schema.comments", Status: Irrelevant, Reason: noHistory},
	}
}

func oldConnectorOptions() []Option {
	return []Option{
		{Name: "database.server.name", Status: Obsolete, NewName: "topic.prefix", Reason: "until 1.9", read: (*importer).readServerName},
		{Name: "table.whitelist", Status: Obsolete, NewName: "table.include.list", Reason: "until 1.9"},
		{Name: "table.blacklist", Status: Obsolete, NewName: "table.exclude.list", Reason: "until 1.9"},
		{Name: "schema.whitelist", Status: Obsolete, NewName: "schema.include.list", Reason: "until 1.9"},
		{Name: "schema.blacklist", Status: Obsolete, NewName: "schema.exclude.list", Reason: "until 1.9"},
		{Name: "column.whitelist", Status: Obsolete, NewName: "column.include.list", Reason: "until 1.9"},
		{Name: "column.blacklist", Status: Obsolete, NewName: "column.exclude.list", Reason: "until 1.9"},
		{Name: "heartbeat.topics.prefix", Status: Obsolete, NewName: "topic.heartbeat.prefix", Reason: "until 1.9; 2.0 and later ignore it", read: (*importer).readRenamed},
		{Name: "slot.drop_on_stop", Status: Obsolete, NewName: "slot.drop.on.stop", Reason: "until 1.9"},
		{Name: "toasted.value.placeholder", Status: Obsolete, NewName: "unavailable.value.placeholder", Reason: "until 2.0"},
		{Name: "sanitize.field.names", Status: Refused, Reason: "it renames the columns that the router sees (until 2.0; later field.name.adjustment.mode)", Harmless: []string{"false"}},
	}
}
