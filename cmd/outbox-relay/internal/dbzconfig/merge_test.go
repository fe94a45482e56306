package dbzconfig_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

const workerFile = `bootstrap.servers=k1:9092,k2:9092
key.converter=org.apache.kafka.connect.storage.StringConverter
value.converter=org.apache.kafka.connect.json.JsonConverter
value.converter.schemas.enable=false
offset.storage.file.filename=/tmp/offsets
plugin.path=/usr/share/java
producer.compression.type=zstd
producer.linger.ms=5
security.protocol=SSL
`

// bare is base without converters.
func bare(options ...string) string {
	text := with(options...)
	for _, s := range []string{`"key.converter":"StringConverter",`, `"value.converter":"StringConverter",`} {
		text = cut(text, s)
	}
	return text
}

func cut(text, part string) string {
	for i := 0; i+len(part) <= len(text); i++ {
		if text[i:i+len(part)] == part {
			return text[:i] + text[i+len(part):]
		}
	}
	return text
}

// TestWorkerFile checks that a worker's file answers what the connector leaves out, and only that.
func TestWorkerFile(t *testing.T) {
	t.Parallel()
	strimziWorker := "kind: KafkaConnect\nspec:\n  bootstrapServers: k1:9092,k2:9092\n  tls: {}\n  config:\n    key.converter: org.apache.kafka.connect.storage.StringConverter\n" +
		"    value.converter: org.apache.kafka.connect.json.JsonConverter\n    value.converter.schemas.enable: false\n"
	compose := "services:\n  connect:\n    environment:\n      CONNECT_BOOTSTRAP_SERVERS: k1:9092,k2:9092\n      CONNECT_KEY_CONVERTER: org.apache.kafka.connect.storage.StringConverter\n" +
		"      CONNECT_VALUE_CONVERTER: org.apache.kafka.connect.json.JsonConverter\n      CONNECT_VALUE_CONVERTER_SCHEMAS_ENABLE: 'false'\n"
	for name, worker := range map[string]string{"properties": workerFile, "Strimzi": strimziWorker, "compose": compose} {
		for order, in := range map[string]dbzconfig.Input{"first": files(worker, bare()), "second": files(bare(), worker)} {
			t.Run(name+" "+order, func(t *testing.T) {
				t.Parallel()
				res := dbzconfig.Import(in)
				checkRefusals(t, res)
				checkFlags(t, res, "key.converter", "string", "value.converter", "json", "value.converter.schemas.enable", "false", "header.converter", "simple",
					"bootstrap.servers", "k1:9092,k2:9092", "table.include.list", "public.outbox")
			})
		}
	}
}

func TestWorkerDetails(t *testing.T) {
	t.Parallel()
	t.Run("options", func(t *testing.T) {
		t.Parallel()
		res := dbzconfig.Import(files(bare(), workerFile+"gruop.id=x\nheader.converter=org.apache.kafka.connect.json.JsonConverter\n"))
		checkRefusals(t, res)
		checkFlags(t, res, "compression.type", "zstd", "linger.ms", "5", "security.protocol", "(unset)", "header.converter", "json", "header.converter.schemas.enable", "true")
		checkNotice(t, res, "of the worker's own clients")
		if len(res.Ignored) != 1 || res.Ignored[0].Nearest != "group.id" {
			t.Errorf("ignored: %v", res.Ignored)
		}
	})
	t.Run("the worker's options are of the worker's converter", func(t *testing.T) {
		t.Parallel()
		res := dbzconfig.Import(files(with("value.converter", "org.apache.kafka.connect.json.JsonConverter"), workerFile))
		checkFlags(t, res, "value.converter", "json", "value.converter.schemas.enable", "true")
	})
	t.Run("the connector's options are of the connector's converter", func(t *testing.T) {
		t.Parallel()
		res := dbzconfig.Import(files(bare("value.converter.schemas.enable", "true"), workerFile))
		checkFlags(t, res, "value.converter", "json", "value.converter.schemas.enable", "false")
		checkIgnored(t, res, "Connect does not read it")
	})
	t.Run("override", func(t *testing.T) {
		t.Parallel()
		res := dbzconfig.Import(files(bare("producer.override.linger.ms", "7", "producer.override.acks", "1"), workerFile))
		checkFlags(t, res, "linger.ms", "7", "compression.type", "zstd", "acks", "(unset)")
	})
	t.Run("topics are not created", func(t *testing.T) {
		t.Parallel()
		res := dbzconfig.Import(files(with("topic.creation.default.partitions", "3"), workerFile+"topic.creation.enable=false\n"))
		checkFlags(t, res, "topic.creation.enable", "(unset)", "topic.creation.default.partitions", "(unset)")
	})
	t.Run("topics are created", func(t *testing.T) {
		t.Parallel()
		res := dbzconfig.Import(files(with("topic.creation.default.partitions", "3", "topic.creation.default.replication.factor", "2"), workerFile))
		checkFlags(t, res, "topic.creation.enable", "true", "topic.creation.default.partitions", "3", "topic.creation.default.replication.factor", "2")
	})
}

func TestMerge(t *testing.T) {
	t.Parallel()
	t.Run("the later file wins", func(t *testing.T) {
		t.Parallel()
		res := dbzconfig.Import(files(with("slot.name", "s"), `{"slot.name":"t","transforms.outbox.route.by.field":"kind","database.hostname":"other"}`))
		checkRefusals(t, res)
		checkFlags(t, res, "slot.name", "t", "route.by.field", "kind", "database.hostname", "other", "topic.prefix", "app")
	})
	t.Run("variables over a connector", func(t *testing.T) {
		t.Parallel()
		in := files(with())
		in.Environ = []string{"DEBEZIUM_SOURCE_DATABASE_PASSWORD=fresh", "DEBEZIUM_SINK_TYPE=kafka"}
		res := dbzconfig.Import(in)
		checkRefusals(t, res, "environment DEBEZIUM_SINK_TYPE: it configures Debezium Server, but the file is a connector's")
		checkFlags(t, res, "database.password", "fresh", "debezium.server", "(unset)")
	})
	t.Run("a connector and Debezium Server", func(t *testing.T) {
		t.Parallel()
		checkRefusals(t, dbzconfig.Import(files(with(), "debezium.sink.type=kafka\n")), "leave out one of them")
	})
	t.Run("variables over Debezium Server's file", func(t *testing.T) {
		t.Parallel()
		in := files("debezium.sink.type=kafka\ndebezium.source.slot.name=a\ndebezium.source.topic.prefix=app\ndebezium.transforms=o\ndebezium.transforms.o.type=EventRouter\n")
		in.Environ = []string{"DEBEZIUM_SOURCE_SLOT_NAME=b"}
		checkFlags(t, dbzconfig.Import(in), "slot.name", "b", "topic.prefix", "app")
	})
}
