package dbzconfig_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

// connectorYAML is what a Strimzi KafkaConnector has, indented as far as asked.
func connectorYAML(indent string) string {
	lines := []string{"database.hostname: db", "plugin.name: pgoutput", "topic.prefix: app", "table.include.list: public.outbox",
		"key.converter: StringConverter", "value.converter: JsonConverter", "value.converter.schemas.enable: no", "max.batch.size: 100",
		"transforms: outbox", "transforms.outbox.type: io.debezium.transforms.outbox.EventRouter", "transforms.outbox.table.expand.json.payload: on"}
	return indent + strings.Join(lines, "\n"+indent) + "\n"
}

// TestForms reads the same connector in all the forms it may be written in.
func TestForms(t *testing.T) {
	t.Parallel()
	strimzi := "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaConnector\nmetadata:\n  name: c\nspec:\n  class: PostgresConnector\n  tasksMax: 1\n  config:\n"
	tests := []struct{ name, content string }{
		{"bare JSON", with()},
		{"REST request", `{"name":"c","config":` + with() + `}`},
		{"REST answer", `{"name":"c","config":` + with() + `,"tasks":[{"connector":"c","task":0}],"type":"source"}`},
		{"REST answer with expand=info", `{"c":{"status":{"name":"c","connector":{"state":"RUNNING"},"tasks":[]},"info":{"name":"c","config":` + with() + `,"tasks":[],"type":"source"}}}`},
		{"list of connectors", `[{"name":"c","config":` + with() + `}]`},
		{"Strimzi", strimzi + connectorYAML("    ")},
		{"Strimzi behind another document", "---\nkind: ConfigMap\ndata:\n  a: b\n---\n" + strimzi + connectorYAML("    ")},
		{"Kubernetes list", "kind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSuffix(strimzi+connectorYAML("    "), "\n"), "\n", "\n  ") + "\n"},
		{"OpenShift template", "kind: Template\nparameters:\n- name: P\n  value: outbox\nobjects:\n- " +
			strings.ReplaceAll(strings.TrimSuffix(strings.ReplaceAll(strimzi+connectorYAML("    "), "public.outbox", "public.${P}"), "\n"), "\n", "\n  ") + "\n"},
		{"Helm values", "replicas: 1\nconnectors:\n- name: c\n  class: PostgresConnector\n  config:\n" + connectorYAML("    ")},
		{"flat YAML", connectorYAML("")},
		{"YAML behind a comment", "# transforms=x\n" + connectorYAML("")},
		{"merged YAML", "common: &c\n  database.hostname: db\n  table.include.list: public.other\nconfig:\n  <<: *c\n" + connectorYAML("  ")},
		{"standalone properties", "connector.class=PostgresConnector\n" + strings.NewReplacer(": ", "=", "no\n", "false\n", "on\n", "true\n").Replace(connectorYAML(""))},
		{"properties with colons", strings.NewReplacer(": ", ":", "no\n", "false\n", "on\n", "true\n").Replace(connectorYAML(""))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if !dbzconfig.Detect([]byte(test.content)) {
				t.Error("not detected")
			}
			res := dbzconfig.Import(files(test.content))
			checkRefusals(t, res)
			checkFlags(t, res, "database.hostname", "db", "table.include.list", "public.outbox", "topic.prefix", "app", "key.converter", "string")
			if strings.Contains(test.content, "JsonConverter") {
				checkFlags(t, res, "value.converter", "json", "value.converter.schemas.enable", "false", "table.expand.json.payload", "true")
			}
		})
	}
}

func TestServerForms(t *testing.T) {
	t.Parallel()
	properties := "debezium.sink.type=kafka\ndebezium.sink.kafka.producer.bootstrap.servers=k:9092\ndebezium.source.topic.prefix=app\ndebezium.source.plugin.name=pgoutput\n" +
		"debezium.source.connector.class=io.debezium.connector.postgresql.PostgresConnector\ndebezium.source.table.include.list=public.outbox\n" +
		"debezium.transforms=outbox\ndebezium.transforms.outbox.type=io.debezium.transforms.outbox.EventRouter\ndebezium.transforms.outbox.route.topic.replacement=x.$${routedByValue}\n"
	var compose, list, dotted strings.Builder
	for line := range strings.Lines(properties) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		variable := strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
		compose.WriteString("      " + variable + ": \"" + value + "\"\n")
		list.WriteString("      - " + variable + "=" + value + "\n")
		dotted.WriteString(key + ": \"" + value + "\"\n")
	}
	tests := []struct{ name, content string }{
		{"properties", properties},
		{"profile and quotes", strings.NewReplacer("debezium.source.topic", `%prod.debezium.source."topic"`).Replace(properties)},
		{"source.transforms", strings.ReplaceAll(properties, "\ndebezium.transforms", "\ndebezium.source.transforms")},
		{"not escaped", strings.ReplaceAll(properties, "$$", "$")},
		{"escaped with a backslash", strings.ReplaceAll(properties, "$$", `\\$`)},
		{"compose map", "services:\n  server:\n    image: debezium/server\n    environment:\n" + compose.String()},
		{"compose list", "services:\n  server:\n    image: debezium/server\n    environment:\n" + list.String()},
		{"ConfigMap", "kind: ConfigMap\ndata:\n  application.properties: |\n    " + strings.ReplaceAll(properties, "\n", "\n    ")},
		{"dotted YAML", dotted.String()},
		{"nested YAML", "debezium:\n  sink:\n    type: kafka\n    kafka.producer.bootstrap.servers: k:9092\n  source:\n    topic.prefix: app\n    plugin.name: pgoutput\n    connector.class: PostgresConnector\n    table.include.list: public.outbox\n" +
			"  transforms: outbox\n  transforms.outbox.type: EventRouter\n  transforms.outbox.route.topic.replacement: x.${routedByValue}\n"},
		{"operator", "kind: DebeziumServer\nspec:\n  sink:\n    type: kafka\n    config:\n      producer.bootstrap.servers: k:9092\n  source:\n    class: PostgresConnector\n    config:\n      topic.prefix: app\n      plugin.name: pgoutput\n      table.include.list: public.outbox\n" +
			"  transforms:\n  - type: io.debezium.transforms.outbox.EventRouter\n    config:\n      route.topic.replacement: x.${routedByValue}\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if !dbzconfig.Detect([]byte(test.content)) {
				t.Error("not detected")
			}
			res := dbzconfig.Import(files(test.content))
			checkRefusals(t, res)
			checkFlags(t, res, "debezium.server", "true", "bootstrap.servers", "k:9092", "topic.prefix", "app", "route.topic.replacement", "x.${routedByValue}",
				"key.converter", "json", "value.converter", "json", "value.converter.schemas.enable", "true", "header.converter", "json", "header.converter.schemas.enable", "true")
			if len(res.Ignored) > 0 {
				t.Errorf("ignored: %v", res.Ignored)
			}
		})
	}
}

func TestEnvironmentAlone(t *testing.T) {
	t.Parallel()
	env := []string{"DEBEZIUM_VERSION=3.6", "DEBEZIUM_SERVICE_HOST=10.0.0.1", "DEBEZIUM_SINK_TYPE=kafka", "DEBEZIUM_SOURCE_TOPIC_PREFIX=app", "DEBEZIUM_SOURCE_PLUGIN_NAME=pgoutput",
		"DEBEZIUM_SOURCE_TABLE_INCLUDE_LIST=public.outbox", "DEBEZIUM_TRANSFORMS=outbox", "DEBEZIUM_TRANSFORMS_OUTBOX_TYPE=io.debezium.transforms.outbox.EventRouter",
		"DEBEZIUM_FORMAT_VALUE=simplestring", "DEBEZIUM_FORMAT_SCHEMAS_ENABLE=false"}
	if !dbzconfig.WantsEnviron(env) || dbzconfig.WantsEnviron(env[:2]) {
		t.Error("the environment's configuration is not told from its surroundings")
	}
	res := dbzconfig.Import(dbzconfig.Input{Environ: env})
	checkRefusals(t, res)
	checkFlags(t, res, "topic.prefix", "app", "value.converter", "string", "key.converter", "json", "key.converter.schemas.enable", "false", "header.converter.schemas.enable", "false")
	if len(res.Ignored) > 0 {
		t.Errorf("ignored: %v", res.Ignored)
	}
}

func TestNotDetected(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "slot.name=s\n-key.converter=json\ntransforms.after=DropHeaders(headers=id)\n", "# a comment\ndebezium.server=true\ndebezium.compatibility=3.1\n",
		"database.url=postgres://u@h/d?a: b\nbootstrap.servers=k:9092\n"} {
		if dbzconfig.Detect([]byte(content)) {
			t.Errorf("detected: %q", content)
		}
	}
	for _, content := range []string{"bootstrap.servers=k:9092\nkey.converter=org.apache.kafka.connect.json.JsonConverter\n", "plugin.path=/x\n", "{", "a:\n  b: c\n"} {
		if !dbzconfig.Detect([]byte(content)) {
			t.Errorf("not detected: %q", content)
		}
	}
}

// TestUnreadable has files that hold no single connector. No message may show what is in them.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 9) + "*" + string(c-1) + "]\n"
	}
	tests := []struct{ name, content, want string }{
		{"broken JSON", "{\"a\": 1,\n\"hunter2\" 2}", "a:2: line 2: not valid JSON"},
		{"JSON that is not UTF-8", "{\"connector.class\": \"hunter2\xe4\"}", "JSON is UTF-8"},
		{"JSON that ends", `{"connector.class": "hunter2`, "not valid JSON"},
		{"something behind", `{"a":1} hunter2`, "line 1"},
		{"deep JSON", strings.Repeat(`[`, 200) + strings.Repeat(`]`, 200), "nested too deeply"},
		{"broken YAML", "a:\n  - hunter2\n b: {", "not valid YAML"},
		{"YAML bomb", bomb, "nested too deeply"},
		{"Helm template", "kind: KafkaConnector\nspec:\n  config:\n    {{- toYaml .Values.x | nindent 4 }}\n", "has not been rendered"},
		{"Helm value", "kind: KafkaConnector\nspec:\n  config:\n    transforms: {{ .Values.hunter2 }}\n", "has not been rendered"},
		{"value is a map", `{"connector.class":"PostgresConnector","transforms":{"hunter2":"y"}}`, "transforms: an option's value is a word or a number"},
		{"Connect's error", `{"error_code":404,"message":"Connector hunter2 not found"}`, "an error that Kafka Connect answered"},
		{"names", `["hunter2","b"]`, "GET /connectors/NAME"},
		{"nothing in it", `{"hunter2":{"b":1}}`, "no connector, worker or Debezium Server configuration"},
		{"YAML with nothing in it", "kind: Deployment\nspec:\n  hunter2: 1\n", "no connector, worker or Debezium Server configuration"},
		{"malformed escape", "connector.class=x\nhunter2=\\u12", "line 2: a \\u is not followed"},
		{"worker alone", "key.converter=org.apache.kafka.connect.json.JsonConverter\nhunter2=1", "a worker's file alone"},
		{"two routers", `[{"name":"c","config":` + with() + `},{"name":"d","config":` + with() + `}]`, "2 connectors with an Event Router (c, d)"},
		{"two connectors, no router", `[{"name":"c","config":{"connector.class":"x"}},{"name":"d","config":{"connector.class":"y"}}]`, "2 connectors, none with an Event Router"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := strings.TrimPrefix(test.want, "a:2: ")
			res := dbzconfig.Import(files(test.content))
			checkRefusals(t, res, want)
			if strings.Contains(describe(res), "hunter2") {
				t.Errorf("shows the content: %s", describe(res))
			}
		})
	}
}

func TestOneOfSeveralConnectors(t *testing.T) {
	t.Parallel()
	res := dbzconfig.Import(files(`[{"name":"other","config":{"connector.class":"x"}},{"name":"c","config":` + with() + `}]`))
	checkRefusals(t, res)
	checkNotice(t, res, "the one with an Event Router, c, is taken")
}

func TestKeyTwice(t *testing.T) {
	t.Parallel()
	res := dbzconfig.Import(files(with("slot.name", "s", "slot.name", "t")))
	checkFlags(t, res, "slot.name", "t")
	checkNotice(t, res, "a:6 slot.name: the key is in the file twice, first in line 5; this one counts")
}

// FuzzImport reads anything without a panic and says something about it.
func FuzzImport(f *testing.F) {
	for _, seed := range []string{with(), "debezium.sink.type=kafka", "kind: Template\nobjects:\n- kind: KafkaConnector\n", "{{", "a: &a [*a]", with("predicates", "p", "transforms.outbox.predicate", "p"),
		with("transforms", "outbox,r", "transforms.r.type", "RegexRouter", "transforms.r.regex", "(", "transforms.r.replacement", "${")} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		in := files(string(content))
		in.Environ = []string{"X=${X}"}
		res := dbzconfig.Import(in)
		if len(res.Flags) == 0 && len(res.Refusals) == 0 {
			t.Error("neither flags nor refusals")
		}
		res.Settle(func(string) bool { return false })
	})
}
