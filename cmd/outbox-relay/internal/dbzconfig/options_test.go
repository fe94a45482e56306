package dbzconfig_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

// TestOptions has one option, or a few that belong together, on top of a configuration without faults.
func TestOptions(t *testing.T) {
	t.Parallel()
	const r = "transforms.outbox."
	tests := []struct {
		name    string
		options []string
		flags   []string
		notice  string
		ignored string
		refusal string
	}{
		{name: "defaults", flags: []string{"slot.name", "debezium", "publication.name", "dbz_publication", "publication.autocreate.mode", "all_tables", "snapshot.mode", "initial", "extended.headers.enabled", "true", "table.include.list", "public.outbox"}},
		{name: "enumerations", options: []string{"decimal.handling.mode", " Double ", "time.precision.mode", "ISOSTRING"}, flags: []string{"decimal.handling.mode", "double", "time.precision.mode", "isostring"}},
		{name: "numbers", options: []string{"heartbeat.interval.ms", " 5000 ", "money.fraction.digits", "3"}, flags: []string{"heartbeat.interval.ms", "5000", "money.fraction.digits", "3"}},
		{name: "not a number", options: []string{"heartbeat.interval.ms", "5s"}, refusal: `"5s" is not a whole number`},
		{name: "not a boolean", options: []string{"slot.failover", "1"}, refusal: `"1" is neither true nor false`},

		{name: "never", options: []string{"snapshot.mode", "never"}, flags: []string{"snapshot.mode", "no_data"}, notice: "never is what the mode no_data was called"},
		{name: "exported", options: []string{"snapshot.mode", "exported"}, flags: []string{"snapshot.mode", "initial"}, notice: "exported is what"},
		{name: "custom snapshot", options: []string{"snapshot.mode", "custom", "snapshot.mode.custom.name", "x"}, refusal: "choose one of"},
		{name: "no such snapshot", options: []string{"snapshot.mode", "schema_only"}, refusal: `no snapshot mode "schema_only"`},
		{name: "snapshot of some rows", options: []string{"snapshot.select.statement.overrides", "public.outbox", "snapshot.select.statement.overrides.public.outbox", "SELECT * FROM public.outbox WHERE id > 5"}, refusal: "other rows than the table's"},
		{name: "snapshot of the first rows", options: []string{"snapshot.select.statement.overrides.public.outbox", "SELECT * FROM public.outbox ORDER BY id LIMIT 5"}, refusal: "other rows than the table's"},
		{name: "snapshot in order", options: []string{"snapshot.select.statement.overrides.public.outbox", "select o.* from \"public\".outbox as o\n order by o.id desc;"}, notice: "order is not taken over"},
		{name: "override without a snapshot", options: []string{"snapshot.mode", "no_data", "snapshot.select.statement.overrides.public.outbox", "SELECT 1"}},
		{name: "snapshot of some tables", options: []string{"snapshot.include.collection.list", "x"}, refusal: "takes all its tables"},
		{name: "some tables without a snapshot", options: []string{"snapshot.include.collection.list", "x", "snapshot.mode", "never"}, notice: "never"},

		{name: "other plug-in", options: []string{"plugin.name", "wal2json"}, refusal: "the slot is made for wal2json"},
		{name: "drop on stop", options: []string{"slot.drop.on.stop", "true"}, flags: []string{"slot.drop.on.stop", "true"}, notice: "events committed while there is none are lost"},
		{name: "all tables", options: []string{"publication.autocreate.mode", "ALL_TABLES"}, flags: []string{"publication.autocreate.mode", "all_tables"}, notice: "superuser"},
		{name: "partition root", options: []string{"publish.via.partition.root", "true"}},
		{name: "status interval", options: []string{"status.update.interval.ms", "60000"}, flags: []string{"status.update.interval.ms", "30000"}, notice: "30000 is taken"},
		{name: "flushed by others", options: []string{"lsn.flush.mode", "manual"}, notice: "whatever else moves the slot"},
		{name: "flushed by the driver", options: []string{"lsn.flush.mode", "connector_and_driver"}},

		{name: "signal table", options: []string{"signal.data.collection", "public.Signal", "table.include.list", `public.outbox, public\.signal,a\,b`}, flags: []string{"table.include.list", `public.outbox,a\,b`}, notice: "is the signal table"},
		{name: "column list with all columns", options: []string{"column.include.list", `public\.outbox\.(id|aggregateid|aggregatetype|payload)`}},
		{name: "column list without one", options: []string{"column.include.list", `public\.outbox\.(id|aggregateid|payload)`}, refusal: "leaves out public.outbox.aggregatetype"},
		{name: "column left out", options: []string{"column.exclude.list", `public\.outbox\.x.*`}, flags: []string{"column.exclude.list", `public\.outbox\.x.*`}},
		{name: "mask", options: []string{"column.mask.with.5.chars", "x"}, refusal: "changes the columns"},
		{name: "custom converters", options: []string{"converters", "isbn"}, refusal: "Java classes"},
		{name: "transaction metadata", options: []string{"provide.transaction.metadata", "true"}, refusal: "besides those of the outbox tables"},
		{name: "no transaction metadata", options: []string{"provide.transaction.metadata", "false"}},
		{name: "names of columns", options: []string{"field.name.adjustment.mode", "avro"}, refusal: "renames the columns"},
		{name: "names of fields", options: []string{r + "field.name.adjustment.mode", "Avro"}, flags: []string{"field.name.adjustment.mode", "avro"}},

		{name: "heartbeat", options: []string{"heartbeat.interval.ms", "1", "heartbeat.action.query", "UPDATE beat SET x = 1"}, flags: []string{"heartbeat.action.query", "UPDATE beat SET x = 1"}},
		{name: "heartbeat query without heartbeats", options: []string{"heartbeat.action.query", "SELECT 1"}, flags: []string{"heartbeat.action.query", "(unset)"}, ignored: "no query without heartbeat.interval.ms"},
		{name: "heartbeat query with heartbeats off", options: []string{"heartbeat.interval.ms", "0", "heartbeat.action.query", "SELECT 1"}, flags: []string{"heartbeat.action.query", "(unset)"}, ignored: "no query without"},
		{name: "heartbeat into the outbox", options: []string{"heartbeat.interval.ms", "1", "heartbeat.action.query", `INSERT INTO "public"."outbox" VALUES (1)`}, refusal: "which is an outbox table"},
		{name: "heartbeat into the outbox without its schema", options: []string{"heartbeat.interval.ms", "1", "heartbeat.action.query", "update OUTBOX set x = 1", "table.include.list", "app.outbox"}, refusal: "which is an outbox table"},
		{name: "heartbeat as message", options: []string{"heartbeat.interval.ms", "1", "heartbeat.action.query", "select pg_logical_emit_message(true, 'a', 'b')"}, notice: "the relay does not"},
		{name: "heartbeat query in a variable", options: []string{"heartbeat.interval.ms", "1", "heartbeat.action.query", "${Q}"}, flags: []string{"heartbeat.action.query", "(unresolved)"}},

		{name: "skipped updates", options: []string{"skipped.operations", "t, u", r + "table.op.invalid.behavior", "fatal"}, flags: []string{"table.op.invalid.behavior", "(unset)"}, notice: "keeps updates from the router"},
		{name: "updates", options: []string{"skipped.operations", "d,t", r + "table.op.invalid.behavior", "Fatal"}, flags: []string{"table.op.invalid.behavior", "fatal"}},
		{name: "skipped inserts", options: []string{"skipped.operations", "c"}, refusal: "it skips inserts"},
		{name: "placement", options: []string{r + "table.fields.additional.placement", " a:header, b : envelope:c,d:partition"}, flags: []string{"table.fields.additional.placement", " a:header, b : envelope:c,d:partition"}},
		{name: "two bad placements", options: []string{r + "table.fields.additional.placement", "a:b,c"}, refusal: `"c": write column:placement`},
		{name: "tracing", options: []string{r + "tracing.operation.name", "x"}, notice: "its own option tracing.span.context.field"},
		{name: "tasks", options: []string{"tasks.max", "4"}, notice: "runs one task"},
		{name: "tolerance", options: []string{"errors.tolerance", "ALL", "errors.deadletterqueue.topic.name", "dlq"}, flags: []string{"errors.tolerance", "all", "errors.deadletterqueue.topic.name", "dlq"}, notice: "the relay sends it there"},
		{name: "dead letters in full", options: []string{"errors.tolerance", "all", "errors.deadletterqueue.topic.name", "dlq", "errors.deadletterqueue.topic.replication.factor", " 3 ", "errors.deadletterqueue.context.headers.enable", "TRUE", "errors.log.enable", "true", "errors.log.include.messages", "false"},
			flags: []string{"errors.deadletterqueue.topic.replication.factor", "3", "errors.deadletterqueue.context.headers.enable", "true", "errors.log.enable", "true", "errors.log.include.messages", "false"}, notice: "the relay sends it there"},
		{name: "dead letters in full, of nothing", options: []string{"errors.deadletterqueue.topic.name", "dlq", "errors.deadletterqueue.topic.replication.factor", "3", "errors.deadletterqueue.context.headers.enable", "true"},
			flags: []string{"errors.deadletterqueue.topic.replication.factor", "(unset)", "errors.deadletterqueue.context.headers.enable", "(unset)"}, ignored: "dead letters for sink connectors only"},
		{name: "no repeats", options: []string{"errors.retry.timeout", "0", "errors.retry.delay.max.ms", "60000"}, flags: []string{"errors.retry.timeout", "0", "errors.retry.delay.max.ms", "60000"}},
		{name: "repeats", options: []string{"errors.retry.timeout", "600000"}, flags: []string{"errors.retry.timeout", "600000"}, notice: "repeats sending for that long"},
		{name: "tolerance without a topic", options: []string{"errors.tolerance", "all"}, flags: []string{"errors.tolerance", "all"}, notice: "drops nothing"},
		{name: "dead letters of nothing", options: []string{"errors.deadletterqueue.topic.name", "dlq"}, flags: []string{"errors.deadletterqueue.topic.name", "(unset)"}, ignored: "dead letters for sink connectors only"},
		{name: "exactly once", options: []string{"exactly.once.support", "required"}, notice: "without transactions"},
		{name: "key for Java", options: []string{"database.sslkey", "/k.pk8"}, flags: []string{"database.sslkey", "/k.pk8"}, notice: "openssl pkcs8"},

		{name: "PEM", options: []string{"producer.override.security.protocol", "SSL", "producer.override.ssl.truststore.location", "/ca.pem", "producer.override.ssl.truststore.type", "PEM", "producer.override.ssl.endpoint.identification.algorithm", ""},
			flags: []string{"security.protocol", "SSL", "ssl.truststore.location", "/ca.pem", "ssl.endpoint.identification.algorithm", "none"}},
		{name: "JKS", options: []string{"producer.override.ssl.truststore.location", "/ca.jks"}, flags: []string{"ssl.truststore.location", "(unset)"}, refusal: "reads PEM only"},
		{name: "password of SASL", options: []string{"producer.override.sasl.jaas.config", `org.apache.kafka.common.security.scram.ScramLoginModule required username="al\"ice" password='p;w';`}, flags: []string{"sasl.username", `al"ice`, "sasl.password", "p;w"}},
		{name: "password of SASL in a variable", options: []string{"producer.override.sasl.jaas.config", `x.PlainLoginModule required username="${U}" password="hunter2";`}, flags: []string{"sasl.username", "(unresolved)", "sasl.password", "(unresolved)"}},
		{name: "client of OAUTHBEARER", options: []string{"producer.override.sasl.jaas.config", `org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId="me" clientSecret="p;w" scope="a b";`,
			"producer.override.sasl.oauthbearer.token.endpoint.url", "https://idp/token"},
			flags: []string{"sasl.oauthbearer.client.credentials.client.id", "me", "sasl.oauthbearer.client.credentials.client.secret", "p;w", "sasl.oauthbearer.scope", "a b", "sasl.oauthbearer.token.endpoint.url", "https://idp/token"}},
		{name: "Kerberos", options: []string{"producer.override.sasl.jaas.config", "com.sun.security.auth.module.Krb5LoginModule required;"}, refusal: "PlainLoginModule"},
		{name: "partitioner", options: []string{"producer.override.partitioner.class", "org.apache.kafka.clients.producer.RoundRobinPartitioner"}, refusal: "chooses the partition"},
		{name: "interceptor", options: []string{"producer.override.interceptor.classes", "x"}, refusal: "may change each record"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			res := dbzconfig.Import(files(with(test.options...)))
			checkRefusal(t, res, test.refusal)
			if test.notice != "" {
				checkNotice(t, res, test.notice)
			} else {
				checkQuiet(t, res)
			}
			checkIgnored(t, res, test.ignored)
			checkFlags(t, res, test.flags...)
			if strings.Contains(describe(res), "hunter2") {
				t.Error("shows a password")
			}
		})
	}
}

// checkQuiet fails if there is a notice that is not there for base too, or about a key of base that is overruled.
func checkQuiet(t *testing.T, res dbzconfig.Result) {
	t.Helper()
	for _, n := range res.Notices {
		if !strings.Contains(n, "header.converter is not set") && !strings.Contains(n, "topics that do not exist") && !strings.Contains(n, "in the file twice") {
			t.Errorf("notice: %s", n)
		}
	}
}

func TestOldNames(t *testing.T) {
	t.Parallel()
	const r = "transforms.outbox."
	old := func(options ...string) string { return cut(with(options...), `"topic.prefix":"app",`) }
	tests := []struct{ name, config, flag, want string }{ // want begins with ! for a refusal
		{"server name", old("database.server.name", "srv"), "topic.prefix", "srv"},
		{"server name beside the prefix", with("database.server.name", "srv"), "topic.prefix", "app"},
		{"whitelist", cut(with("table.whitelist", "a.b"), `"table.include.list":"public.outbox",`), "table.include.list", "a.b"},
		{"whitelist beside the list", with("table.whitelist", "a.b"), "table.include.list", "public.outbox"},
		{"blacklists", with("table.blacklist", "a.b", "schema.blacklist", "c"), "schema.exclude.list", "c"},
		{"payload, 1.x", old("database.server.name", "s", r+"table.field.payload", "body"), "table.field.event.payload", "body"},
		{"payload, 2.x", with(r+"table.field.payload", "body"), "table.field.event.payload", `!Debezium ignores table.field.payload since 2.0 and takes table.field.event.payload="payload"`},
		{"payload, 2.x, as the default", with(r+"table.field.payload", "payload"), "table.field.event.payload", "payload"},
		{"payload beside the new name", with(r+"table.field.payload", "body", r+"table.field.event.payload", "data"), "table.field.event.payload", "data"},
		{"payload id, 1.x", old("database.server.name", "s", r+"table.field.event.payload.id", "order_id"), "table.field.event.key", "order_id"},
		{"payload id, 2.x", with(r+"table.field.event.payload.id", "order_id"), "table.field.event.key", `!until 1.9 it meant "order_id"`},
		{"payload id beside the key", with(r+"table.field.payload.id", "order_id", r+"table.field.event.key", "k"), "table.field.event.key", "k"},
		{"missing", with(r+"table.fields.additional.error.on.missing", "False"), "table.field.additional.missing", "ignore"},
		{"not missing", with(r+"table.fields.additional.error.on.missing", "true"), "table.field.additional.missing", "error"},
		{"bad boolean", with(r+"table.fields.additional.error.on.missing", "no"), "table.field.additional.missing", "!neither true nor false"},
		{"updates", with(r+"debezium.op.invalid.behavior", "error"), "table.op.invalid.behavior", "error"},
		{"expansion", with(r+"debezium.expand.json.payload", "true"), "table.expand.json.payload", "true"},
		{"heartbeat topic, 2.x", with("heartbeat.topics.prefix", "beat"), "topic.heartbeat.prefix", "!Debezium ignores heartbeat.topics.prefix since 2.0"},
		{"heartbeat topic, 1.x", old("database.server.name", "s", "heartbeat.topics.prefix", "beat"), "topic.heartbeat.prefix", "beat"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			res := dbzconfig.Import(files(test.config))
			if reason, fails := strings.CutPrefix(test.want, "!"); fails {
				checkRefusals(t, res, reason)
				return
			}
			checkRefusals(t, res)
			checkFlags(t, res, test.flag, test.want)
			if !strings.Contains(strings.Join(res.Notices, "\n"), "the old name of") {
				t.Errorf("nothing is said: %q", res.Notices)
			}
		})
	}
}

func TestWhatIsMissing(t *testing.T) {
	t.Parallel()
	without := func(parts ...string) dbzconfig.Result {
		text := with()
		for _, p := range parts {
			text = cut(text, p)
		}
		return dbzconfig.Import(files(text))
	}
	checkRefusals(t, without(`"topic.prefix":"app",`), "there is no topic.prefix")
	res := without(`"table.include.list":"public.outbox",`)
	checkFlags(t, res, "table.include.list", ".*")
	checkNotice(t, res, "each must be an outbox table")
	checkNotice(t, without(`"plugin.name":"pgoutput",`), "Debezium's default is decoderbufs")
	checkNotice(t, without(`"connector.class":"io.debezium.connector.postgresql.PostgresConnector",`), "taken for the connector for PostgreSQL")
	checkNotice(t, without(`"database.user":"u",`, `"database.dbname":"d",`), "database.user, database.dbname: not in the configuration")
	checkRefusals(t, dbzconfig.Import(files(cut(with("extended.headers.enabled", "false"), `"topic.prefix":"app",`))))
	checkRefusals(t, dbzconfig.Import(files(cut(with("extended.headers.enabled", "false", "heartbeat.interval.ms", "5"), `"topic.prefix":"app",`))), "in the records of heartbeats")
}

// TestAllAtOnce checks that one mistake does not hide another.
func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	res := dbzconfig.Import(files(bare("converters", "x", "transforms", "outbox,x", "transforms.x.type", "com.example.X", "transforms.outbox.route.topic.replacement", "$5", "plugin.name", "decoderbufs",
		"transforms.outbox.table.fields.additional.placement", "a", "snapshot.mode", "nope")))
	checkRefusals(t, res, "the slot is made for decoderbufs", "Java classes", `no snapshot mode "nope"`, "write column:placement", "no group 5", "key.converter is not", "value.converter is not", "com.example.X")
}
