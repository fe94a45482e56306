package dbzconfig

import (
	"fmt"
	"slices"
	"strings"
)

// find looks for configurations in a JSON or YAML value: itself, or anything below it.
func (r *reader) find(n *node) {
	switch n.kind {
	case list:
		r.findInList(n)
	case mapping:
		if !r.known(n) {
			r.findBelow(n)
		}
	}
}

func (r *reader) findInList(n *node) {
	if len(n.items) > 0 && !slices.ContainsFunc(n.items, func(i *node) bool { return i.kind != scalar }) {
		r.refuse(n.line, "a list of names; give one connector, as GET /connectors/NAME answers it")
		return
	}
	for _, item := range n.items {
		r.find(item)
	}
}

// known reads a map of a shape that has a name. It reports false for any other.
func (r *reader) known(n *node) bool {
	config := n.get("config")
	switch kind := n.get("kind").text; {
	case n.hasAny("error_code") && n.hasAny("message"):
		r.refuse(n.line, "an error that Kafka Connect answered, not a configuration")
	case kind == "Template" && n.hasAny("objects"):
		r.template(n)
	case kind == "KafkaConnector":
		r.connector(n.get("spec").get("config"), n.at("metadata", "name").text, n.get("spec"))
	case kind == "KafkaConnect":
		r.worker(n.get("spec"))
	case kind == "DebeziumServer":
		r.debeziumServer(n.get("spec"))
	case config.kind == mapping && connectorLike(config):
		r.connector(config, n.get("name").text, n)
	case connectorLike(n):
		r.connector(n, n.get("name").text, nil)
	case n.hasPrefix("debezium.") || n.get("debezium").kind == mapping:
		r.serverTree(n)
	case workerLike(n):
		r.docs = append(r.docs, document{form: workerForm, settings: r.settings(n)})
	default:
		return false
	}
	return true
}

// findBelow reads what a manifest or compose file has: variables of containers, files within a ConfigMap, and maps
// further down.
func (r *reader) findBelow(n *node) {
	for _, f := range n.fields {
		switch {
		case f.name == "env" || f.name == "environment":
			r.environment(f.value)
		case f.value.kind == scalar && strings.HasSuffix(f.name, ".properties"):
			r.properties([]byte(f.value.text), f.value.line)
		case f.value.kind == scalar && strings.HasSuffix(f.name, ".json"):
			if root, err := parseJSON([]byte(f.value.text)); err == nil {
				r.find(root)
			}
		default:
			r.find(f.value)
		}
	}
}

// connectorLike reports whether a map holds a connector's options.
func connectorLike(n *node) bool {
	return n.hasAny("connector.class", "transforms", "database.hostname", "table.include.list", "table.whitelist")
}

// workerLike reports whether a map holds a worker's options.
func workerLike(n *node) bool {
	return n.hasAny("key.converter", "value.converter", "offset.storage.topic", "config.storage.topic")
}

// connector reads a connector's map of options. around is what the map stands in: its class and number of tasks may
// be there, as Strimzi has it, and what means nothing.
func (r *reader) connector(config *node, name string, around *node) {
	d := document{form: connectorForm, name: name, settings: r.settings(config)}
	if around != nil {
		for _, f := range around.fields {
			key, ok := besides[f.name]
			s := setting{key: key, value: f.value.text, src: Source{Place: r.file, Line: f.line, Key: f.name}}
			switch {
			case !ok:
				s.key = f.name
				d.extras = append(d.extras, s)
			case key != "" && f.value.kind == scalar:
				d.add(s)
			}
		}
	}
	r.docs = append(r.docs, d)
}

// besides are the keys that may stand beside a map of options, with the option that they mean, if any: those of
// Connect's REST API and those of a KafkaConnector's spec.
var besides = map[string]string{
	"class": "connector.class", "className": "connector.class", "tasksMax": "tasks.max",
	"config": "", "name": "", "tasks": "", "type": "", "initial_state": "", "state": "", "pause": "", "autoRestart": "",
	"alterOffsets": "", "listOffsets": "", "version": "", "kind": "", "apiVersion": "", "metadata": "", "status": "",
}

// worker reads a Strimzi KafkaConnect: the worker's options and where Kafka is.
func (r *reader) worker(spec *node) {
	d := document{form: workerForm, settings: r.settings(spec.get("config"))}
	if servers := spec.get("bootstrapServers"); servers.kind == scalar {
		d.add(setting{key: "bootstrap.servers", value: servers.text, src: Source{Place: r.file, Line: servers.line, Key: "bootstrapServers"}})
	}
	for _, name := range []string{"tls", "authentication"} {
		if n := spec.get(name); n.kind != null {
			d.add(setting{key: strimziPrefix + name, src: Source{Place: r.file, Line: n.line, Key: name}})
		}
	}
	r.docs = append(r.docs, d)
}

// strimziPrefix begins settings that stand for parts of a KafkaConnect which are no options.
const strimziPrefix = "strimzi."

// debeziumServer reads a resource of Debezium's operator as the properties that the operator makes of it.
func (r *reader) debeziumServer(spec *node) {
	d := document{form: serverForm}
	put := func(key string, n *node, name string) {
		if n.kind == scalar {
			d.add(setting{key: key, value: n.text, src: Source{Place: r.file, Line: n.line, Key: name}})
		}
	}
	put("debezium.sink.type", spec.at("sink", "type"), "sink.type")
	put("debezium.source.connector.class", spec.at("source", "class"), "source.class")
	r.prefixed(&d, spec.at("source", "config"), "debezium.source.")
	r.prefixed(&d, spec.at("sink", "config"), "debezium.sink."+spec.at("sink", "type").text+".")
	for _, side := range []string{"key", "value", "header"} {
		put("debezium.format."+side, spec.at("format", side, "type"), "format."+side+".type")
		r.prefixed(&d, spec.at("format", side, "config"), "debezium.format."+side+".")
	}
	r.operatorTransforms(&d, spec.get("transforms"))
	r.docs = append(r.docs, d)
}

// operatorTransforms names a resource's list of transforms t0, t1 and so on, as the operator does.
func (r *reader) operatorTransforms(d *document, transforms *node) {
	var names []string
	for i, t := range transforms.items {
		name := fmt.Sprintf("t%d", i)
		names = append(names, name)
		prefix := "debezium.transforms." + name + "."
		for _, key := range []string{"type", "predicate", "negate"} {
			if v := t.get(key); v.kind == scalar {
				d.add(setting{key: prefix + key, value: v.text, src: Source{Place: r.file, Line: v.line, Key: key}})
			}
		}
		r.prefixed(d, t.get("config"), prefix)
	}
	if len(names) > 0 {
		d.add(setting{key: "debezium.transforms", value: strings.Join(names, ","), src: Source{Place: r.file, Line: transforms.line, Key: "transforms"}})
	}
}

func (r *reader) prefixed(d *document, n *node, prefix string) {
	for _, s := range r.settings(n) {
		s.key = prefix + s.key
		d.add(s)
	}
}

// serverTree reads Debezium Server's options from YAML: dotted names, nested maps, or both mixed.
func (r *reader) serverTree(n *node) {
	d := document{form: serverForm}
	r.flatten(&d, n, "")
	r.docs = append(r.docs, d)
}

func (r *reader) flatten(d *document, n *node, prefix string) {
	for _, f := range n.fields {
		key := prefix + f.name
		switch f.value.kind {
		case scalar:
			d.add(setting{key: key, value: f.value.text, src: Source{Place: r.file, Line: f.line, Key: key}})
		case mapping:
			r.flatten(d, f.value, key+".")
		case list:
			r.refuse(f.line, "%s: %w", key, errObject)
		}
	}
}

// environment reads the variables of a container: a list of name and value as Kubernetes has it, a list of NAME=value
// or a map as compose files have it.
func (r *reader) environment(n *node) {
	server, worker := document{form: serverForm}, document{form: workerForm}
	add := func(name string, s setting) {
		switch rest, ok := strings.CutPrefix(name, "CONNECT_"); {
		case serverVariable.MatchString(name):
			s.key = propertyName(name)
			server.add(s)
		case ok:
			s.key = strings.ToLower(strings.ReplaceAll(rest, "_", "."))
			worker.add(s)
		}
	}
	for _, f := range n.fields {
		add(f.name, setting{value: composeText(f.value.text), src: Source{Place: r.file, Line: f.line, Key: f.name}})
	}
	for _, item := range n.items {
		if name, value, ok := strings.Cut(item.text, "="); ok && item.kind == scalar {
			add(name, setting{value: composeText(value), src: Source{Place: r.file, Line: item.line, Key: name}})
			continue
		}
		name := item.get("name")
		s := setting{value: item.get("value").text, src: Source{Place: r.file, Line: name.line, Key: name.text}}
		s.missing = valueFrom(item.get("valueFrom"), name.text)
		add(name.text, s)
	}
	for _, d := range []document{server, worker} {
		if len(d.settings) > 0 {
			r.docs = append(r.docs, d)
		}
	}
}

// composeText undoes the doubling of dollars by which compose files keep them.
func composeText(text string) string { return strings.ReplaceAll(text, "$$", "$") }

// valueFrom says where a container's variable has its value from.
func valueFrom(n *node, variable string) string {
	for _, kind := range []struct{ field, what string }{{"secretKeyRef", "secret"}, {"configMapKeyRef", "ConfigMap"}} {
		if ref := n.get(kind.field); ref.kind == mapping {
			return "the value is in the Kubernetes " + kind.what + " " + ref.get("name").text + ", key " + ref.get("key").text +
				"; give the variable " + variable + " to the relay's container too"
		}
	}
	if n.kind != null {
		return "the value is made by Kubernetes; give the variable " + variable + " to the relay's container too"
	}
	return ""
}
