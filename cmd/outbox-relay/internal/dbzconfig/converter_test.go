package dbzconfig_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

func TestConverters(t *testing.T) {
	t.Parallel()
	const v = "value.converter"
	tests := []struct {
		name    string
		options []string
		want    []string // flags, or one text of a refusal that begins with !
	}{
		{"string", []string{v, "org.apache.kafka.connect.storage.StringConverter", v + ".schemas.enable", "false"}, []string{v, "string", v + ".schemas.enable", "(unset)"}},
		{"json", []string{v, "org.apache.kafka.connect.json.JsonConverter"}, []string{v, "json", v + ".schemas.enable", "true"}},
		{"json without schemas", []string{v, "org.apache.kafka.connect.json.JsonConverter", v + ".schemas.enable", " False "}, []string{v, "json", v + ".schemas.enable", "false"}},
		{"json with decimals", []string{v, "JsonConverter", v + ".decimal.format", "NUMERIC"}, []string{v, "json", v + ".decimal.format", "NUMERIC"}},
		{"alias", []string{v, "Json"}, []string{v, "json"}},
		{"bytearray", []string{v, "org.apache.kafka.connect.converters.ByteArrayConverter"}, []string{v, "bytearray"}},
		{"binary", []string{v, "io.debezium.converters.BinaryDataConverter"}, []string{v, "binary", v + ".delegate.converter.type", "(unset)"}},
		{"binary with json", []string{v, "io.debezium.converters.BinaryDataConverter", v + ".delegate.converter.type", "org.apache.kafka.connect.json.JsonConverter"},
			[]string{v, "binary", v + ".delegate.converter.type", "json", v + ".delegate.converter.type.schemas.enable", "true"}},
		{"binary with json without schemas", []string{v, "io.debezium.converters.ByteBufferConverter", v + ".delegate.converter.type", "JsonConverter", v + ".delegate.converter.type.schemas.enable", "false"},
			[]string{v, "binary", v + ".delegate.converter.type", "json", v + ".delegate.converter.type.schemas.enable", "false"}},
		{"binary with string", []string{v, "BinaryDataConverter", v + ".delegate.converter.type", "StringConverter", v + ".delegate.converter.type.schemas.enable", "false"},
			[]string{v, "binary", v + ".delegate.converter.type", "string", v + ".delegate.converter.type.schemas.enable", "(unset)"}},
		{"header string", []string{"header.converter", "org.apache.kafka.connect.storage.StringConverter"}, []string{"header.converter", "string"}},
		{"header simple", []string{"header.converter", "org.apache.kafka.connect.storage.SimpleHeaderConverter"}, []string{"header.converter", "simple"}},
		{"header json", []string{"header.converter", "JsonConverter", "header.converter.schemas.enable", "false"}, []string{"header.converter", "json", "header.converter.schemas.enable", "false"}},

		{"not a boolean", []string{v, "JsonConverter", v + ".schemas.enable", "yes"}, []string{"!\"yes\" is neither true nor false"}},
		{"Avro", []string{v, "io.confluent.connect.avro.AvroConverter", v + ".schema.registry.url", "http://r"}, []string{"!the relay knows no registry"}},
		{"Protobuf", []string{"key.converter", "io.confluent.connect.protobuf.ProtobufConverter"}, []string{"!the relay knows no registry"}},
		{"Apicurio", []string{v, "io.apicurio.registry.utils.converter.ExtJsonConverter"}, []string{"!the relay knows no registry"}},
		{"CloudEvents", []string{v, "io.debezium.converters.CloudEventsConverter"}, []string{"!CloudEvents"}},
		{"serializer", []string{v, "org.apache.kafka.common.serialization.StringSerializer"}, []string{"!is not a converter"}},
		{"Debezium's byte arrays", []string{v, "io.debezium.converters.ByteArrayConverter"}, []string{"!BinaryDataConverter (-value.converter=binary)"}},
		{"wrong package", []string{v, "com.example.StringConverter"}, []string{"!did you mean org.apache.kafka.connect.storage.StringConverter?"}},
		{"numbers", []string{v, "org.apache.kafka.connect.converters.LongConverter"}, []string{"!does not know this class"}},
		{"own class", []string{v, "com.example.Own"}, []string{"!does not know this class"}},
		{"delegate of registry", []string{v, "BinaryDataConverter", v + ".delegate.converter.type", "io.confluent.connect.avro.AvroConverter"}, []string{"!the relay knows no registry"}},
		{"delegate of itself", []string{v, "BinaryDataConverter", v + ".delegate.converter.type", "BinaryDataConverter"}, []string{"!it cannot stand behind"}},
		{"delegate with decimals", []string{v, "BinaryDataConverter", v + ".delegate.converter.type", "JsonConverter", v + ".delegate.converter.type.decimal.format", "numeric"}, []string{v + ".decimal.format", "NUMERIC"}},
		{"encoding", []string{v + ".converter.encoding", "ISO-8859-1"}, []string{"!strings are UTF-8"}},
		{"header decimals", []string{"header.converter", "JsonConverter", "header.converter.decimal.format", "NUMERIC"}, []string{"header.converter.decimal.format", "NUMERIC"}},
		{"header of bytes", []string{"header.converter", "io.debezium.converters.BinaryDataConverter"}, []string{"!for headers it takes bytea only"}},
		{"string with decimals", []string{v + ".decimal.format", "NUMERIC"}, []string{v + ".decimal.format", "(unset)"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			res := dbzconfig.Import(files(with(test.options...)))
			if reason, fails := strings.CutPrefix(test.want[0], "!"); fails {
				checkRefusals(t, res, reason)
				return
			}
			checkRefusals(t, res)
			checkFlags(t, res, test.want...)
		})
	}
}

// TestMissingConverter checks that the three choices are offered with what each would send.
func TestMissingConverter(t *testing.T) {
	t.Parallel()
	res := dbzconfig.Import(files(bare("transforms.outbox.table.expand.json.payload", "true")))
	checkRefusals(t, res, "key.converter is not in the configuration", "value.converter is not in the configuration")
	for i, choices := range [][]string{
		{"-key.converter=string sends the column's text", "-key.converter.schemas.enable=false sends it as a JSON string, in quotes", `-key.converter.schemas.enable=true sends that inside {"schema":...,"payload":...}`},
		{"-value.converter=string sends Java's text of the expanded payload", "-value.converter.schemas.enable=false sends the expanded payload as JSON", "-value.converter=bytearray"},
	} {
		for _, choice := range choices {
			if !strings.Contains(res.Refusals[i].Error(), choice) {
				t.Errorf("%v has no %q", res.Refusals[i], choice)
			}
		}
	}
}

func TestServerFormats(t *testing.T) {
	t.Parallel()
	const start = "debezium.sink.type=kafka\ndebezium.source.topic.prefix=app\ndebezium.transforms=o\ndebezium.transforms.o.type=EventRouter\n"
	tests := []struct {
		name, lines string
		want        []string
	}{
		{"generic option", "debezium.format.schemas.enable=false\ndebezium.format.key.schemas.enable=true\n", []string{"key.converter.schemas.enable", "true", "value.converter.schemas.enable", "false", "header.converter.schemas.enable", "false"}},
		{"option of the source beats the generic one", "debezium.format.schemas.enable=false\ndebezium.source.value.converter.schemas.enable=true\n", []string{"value.converter.schemas.enable", "true", "key.converter.schemas.enable", "false"}},
		{"option of the format beats the source", "debezium.format.value.schemas.enable=false\ndebezium.source.value.converter.schemas.enable=true\n", []string{"value.converter.schemas.enable", "false"}},
		{"common option of the source", "debezium.source.converter.schemas.enable=false\n", []string{"key.converter.schemas.enable", "false", "header.converter.schemas.enable", "false"}},
		{"formats", "debezium.format.key=simplestring\ndebezium.format.value=binary\ndebezium.format.header=jsonbytearray\n", []string{"key.converter", "string", "value.converter", "binary", "header.converter", "json"}},
		{"class", "debezium.format.header.class=org.apache.kafka.connect.storage.SimpleHeaderConverter\n", []string{"header.converter", "simple", "header.converter.schemas.enable", "(unset)"}},
		{"avro", "debezium.format.value=avro\n", []string{"!no format \"avro\""}},
		{"headers as strings", "debezium.format.header=simplestring\n", []string{"!no format \"simplestring\" for the header"}},
		{"serializer", "debezium.sink.kafka.producer.key.serializer=io.confluent.kafka.serializers.KafkaAvroSerializer\n", []string{"!it wraps what the format has made"}},
		{"sink", "debezium.sink.type=http\ndebezium.sink.http.url=x\n", []string{"!the sink is \"http\""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			res := dbzconfig.Import(files(start + test.lines))
			if reason, fails := strings.CutPrefix(test.want[0], "!"); fails {
				checkRefusals(t, res, reason)
				return
			}
			checkRefusals(t, res)
			checkFlags(t, res, test.want...)
		})
	}
}

func TestServerIgnores(t *testing.T) {
	t.Parallel()
	res := dbzconfig.Import(files("debezium.sink.type=kafka\ndebezium.source.topic.prefix=app\ndebezium.source.transforms=o\ndebezium.source.transforms.o.type=EventRouter\n" +
		"debezium.transforms.o.route.by.field=x\ndebezium.value.converter=json\nslot.name=s\n%dev.debezium.sink.type=x\ndebezium.formt.key=json\ndebezium.source.value.converter=JsonConverter\n"))
	checkRefusals(t, res)
	checkFlags(t, res, "route.by.field", "(unset)")
	want := map[string]string{"debezium.transforms.o.route.by.field": "debezium.source.transforms.o.route.by.field", "debezium.value.converter": "debezium.format.value", "slot.name": "debezium.source.slot.name",
		"%dev.debezium.sink.type": "", "debezium.formt.key": "debezium.format.key", "debezium.source.value.converter": "debezium.format.value"}
	for _, u := range res.Ignored {
		if nearest, ok := want[u.Key()]; !ok || nearest != u.Nearest {
			t.Errorf("%s: nearest %q", u.Key(), u.Nearest)
		}
		delete(want, u.Key())
	}
	if len(want) > 0 {
		t.Errorf("not ignored: %v", want)
	}
}
