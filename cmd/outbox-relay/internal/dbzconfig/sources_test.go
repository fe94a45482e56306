package dbzconfig_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

const serverFile = "debezium.sink.type=kafka\ndebezium.source.topic.prefix=app\ndebezium.source.table.include.list=public.outbox\ndebezium.transforms=o\ndebezium.transforms.o.type=EventRouter\n"

func TestProfiles(t *testing.T) {
	t.Parallel()
	const weak, strong = "debezium.source.slot.name=weak\n", "%prod.debezium.source.slot.name=strong\n"
	for name, text := range map[string]string{
		"behind": weak + strong, "before": strong + weak, "alone": strong,
		"of several": "%{dev,prod}.debezium.source.slot.name=strong\n" + weak,
		"another":    "debezium.source.slot.name=strong\n%dev.debezium.source.slot.name=weak\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := dbzconfig.Import(files(serverFile + text))
			checkRefusals(t, res)
			checkFlags(t, res, "slot.name", "strong")
		})
	}
	t.Run("variables", func(t *testing.T) {
		t.Parallel()
		in := files(serverFile)
		in.Environ = []string{"_PROD_DEBEZIUM_SOURCE_SLOT_NAME=strong", "DEBEZIUM_SOURCE_SLOT_NAME=weak", "_DEV_DEBEZIUM_SOURCE_SLOT_NAME=dev"}
		checkFlags(t, dbzconfig.Import(in), "slot.name", "strong")
	})
	t.Run("a file of variables", func(t *testing.T) {
		t.Parallel()
		res := dbzconfig.Import(files(serverFile, "_PROD_DEBEZIUM_SOURCE_SLOT_NAME=strong\nDEBEZIUM_SOURCE_SLOT_NAME=weak\n"))
		checkFlags(t, res, "slot.name", "strong")
	})
	t.Run("a later file", func(t *testing.T) {
		t.Parallel()
		checkFlags(t, dbzconfig.Import(files(serverFile+strong, "debezium.source.slot.name=later\n")), "slot.name", "later")
	})
}

// TestEncoding has what java.util.Properties makes of letters beyond ASCII.
func TestEncoding(t *testing.T) {
	t.Parallel()
	connect := strings.NewReplacer("debezium.sink.type=kafka\n", "connector.class=PostgresConnector\nplugin.name=pgoutput\nkey.converter=StringConverter\nvalue.converter=StringConverter\n",
		"debezium.source.", "", "debezium.", "").Replace(serverFile)
	tests := []struct{ name, text, want, notice, refusal string }{
		{"Connect, UTF-8", connect + "transforms.o.table.fields.additional.placement=type:header:größe\n", "type:header:gr\u00c3\u00b6\u00c3\u009fe", "reads a properties file as ISO 8859-1", ""},
		{"Connect, ISO 8859-1", connect + "transforms.o.table.fields.additional.placement=type:header:gr\xf6\xdfe\n", "type:header:größe", "", ""},
		{"Connect, escaped", connect + "transforms.o.table.fields.additional.placement=type:header:gr\\u00f6\\u00dfe\n", "type:header:größe", "", ""},
		{"Connect, in a comment", connect + "# größe\ntransforms.o.table.fields.additional.placement=type:header\n", "type:header", "", ""},
		{"Server, UTF-8", serverFile + "debezium.transforms.o.table.fields.additional.placement=type:header:größe\n", "type:header:größe", "", ""},
		{"Server, ISO 8859-1", serverFile + "debezium.transforms.o.table.fields.additional.placement=type:header:gr\xf6\xdfe\n", "type:header:größe", "", "it is not UTF-8"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			res := dbzconfig.Import(files(test.text))
			if test.refusal != "" {
				checkRefusals(t, res, test.refusal)
				return
			}
			checkRefusals(t, res)
			checkFlags(t, res, "table.fields.additional.placement", test.want)
			if test.notice != "" {
				checkNotice(t, res, test.notice)
			} else if strings.Contains(strings.Join(res.Notices, " "), "ISO 8859-1") {
				t.Errorf("notices %q", res.Notices)
			}
		})
	}
}

func TestVariablesFile(t *testing.T) {
	t.Parallel()
	env := "# Debezium Server=\nDEBEZIUM_SINK_TYPE=kafka\nDEBEZIUM_SOURCE_DATABASE_PASSWORD\nexport DEBEZIUM_SOURCE_TOPIC_PREFIX='app'\nDEBEZIUM_SOURCE_SLOT_NAME=${SLOT}\nSLOT=s1\n\n" +
		"DEBEZIUM_SOURCE_TABLE_INCLUDE_LIST=\"public.outbox\"\nDEBEZIUM_TRANSFORMS=outbox\nDEBEZIUM_TRANSFORMS_OUTBOX_TYPE=io.debezium.transforms.outbox.EventRouter\nDEBEZIUM_FORMAT_VALUE=simplestring\n"
	if !dbzconfig.Detect([]byte(env)) {
		t.Error("not detected")
	}
	if dbzconfig.Detect([]byte("OUTBOX_RELAY_SLOT_NAME=x\nDEBEZIUM_VERSION=3.6\n")) {
		t.Error("other variables are taken for Debezium Server's")
	}
	res := dbzconfig.Import(files(env))
	checkRefusals(t, res)
	checkFlags(t, res, "topic.prefix", "app", "slot.name", "s1", "table.include.list", "public.outbox", "value.converter", "string", "debezium.server", "true")
	checkNotice(t, res, "a:4 DEBEZIUM_SOURCE_TOPIC_PREFIX: the quotes around the value")
}

func TestSeveralConnectors(t *testing.T) {
	t.Parallel()
	named := func(name string, options ...string) string {
		return `{"name":"` + name + `","config":` + with(options...) + `}`
	}
	t.Run("two names", func(t *testing.T) {
		t.Parallel()
		checkRefusals(t, dbzconfig.Import(files(named("orders"), named("billing"))), "b: it is another connector's configuration (billing) than a (orders)")
	})
	t.Run("no names, two slots", func(t *testing.T) {
		t.Parallel()
		checkRefusals(t, dbzconfig.Import(files(with("slot.name", "x"), with("slot.name", "y"))), "another connector's configuration (slot.name y) than a (slot.name x)")
	})
	t.Run("one name", func(t *testing.T) {
		t.Parallel()
		res := dbzconfig.Import(files(named("orders", "slot.name", "x"), named("orders", "slot.name", "y")))
		checkRefusals(t, res)
		checkFlags(t, res, "slot.name", "y")
		checkNotice(t, res, "slot.name: it takes the place of a:5 slot.name: the later file counts")
	})
	t.Run("a worker's file is no connector", func(t *testing.T) {
		t.Parallel()
		checkRefusals(t, dbzconfig.Import(files(named("orders"), "name=worker\n"+workerFile)))
	})
}
