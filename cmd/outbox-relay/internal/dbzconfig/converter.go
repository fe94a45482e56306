package dbzconfig

import (
	"strings"

	"github.com/outbox-relay/outbox-relay/schema"
)

// sides are what converters are for.
var sides = []string{"key", "value", "header"}

func isSide(s string) bool { return s == "key" || s == "value" || s == "header" }

// converterClasses are the short names of the classes that the relay has.
var converterClasses = map[string]string{
	"org.apache.kafka.connect.storage.StringConverter":       "string",
	"org.apache.kafka.connect.json.JsonConverter":            "json",
	"org.apache.kafka.connect.converters.ByteArrayConverter": "bytearray",
	"org.apache.kafka.connect.storage.SimpleHeaderConverter": "simple",
	"io.debezium.converters.BinaryDataConverter":             "binary",
	"io.debezium.converters.ByteBufferConverter":             "binary", // until 1.9
}

// foreignConverters are reasons for classes that are known and not to be had.
var foreignConverters = []struct{ part, reason string }{
	{"io.debezium.converters.CloudEventsConverter", "CloudEvents are not made by the relay"},
	{"io.debezium.converters.ByteArrayConverter", "it hands bytea columns to its delegate; what works with bytea is BinaryDataConverter (-%s=binary) or Kafka's own ByteArrayConverter (-%s=bytearray)"},
	{"Serializer", "a producer's serializer is not a converter: Connect does not start with it"},
	{"apicurio", noRegistry}, {"confluent.connect", noRegistry}, {"schemaregistry", noRegistry}, {"Avro", noRegistry}, {"Protobuf", noRegistry},
}

const noRegistry = "it writes what a schema registry needs, and the relay knows no registry"

// ConverterName returns the short name of a converter's class, or the text itself
// if it is no class that the relay has.
func ConverterName(text string) string {
	if short, ok := converterClasses[strings.TrimSpace(text)]; ok {
		return short
	}
	return text
}

// converterName returns the short name of a class, or why there is none. suggestion is a class that may be meant.
func converterName(class string) (short, reason, suggestion string) {
	class = strings.TrimSpace(class)
	if short := converterClasses[class]; short != "" {
		return short, "", ""
	}
	for name, short := range converterClasses {
		simple := simpleName(name)
		alias := strings.TrimSuffix(strings.TrimSuffix(simple, "HeaderConverter"), "Converter")
		if short != "" && (class == simple || class == alias || class == short) {
			return short, "", ""
		}
	}
	for _, f := range foreignConverters {
		if strings.Contains(class, f.part) {
			return "", f.reason, ""
		}
	}
	for name, short := range converterClasses {
		if short != "" && simpleName(name) == simpleName(class) {
			return "", "there is no such class", name
		}
	}
	return "", "the relay does not know this class", ""
}

// readConverters decides how keys, values and headers become bytes.
func (im *importer) readConverters() {
	for _, side := range sides {
		if im.server {
			im.serverConverter(side)
		} else {
			im.connectConverter(side)
		}
	}
}

// connectConverter takes the connector's converter with the connector's options, or else the worker's with the
// worker's: Connect never mixes the two.
func (im *importer) connectConverter(side string) {
	name := side + ".converter"
	options := im.connector.under(name + ".")
	for _, k := range options.keys {
		im.used[name+"."+k] = true
	}
	if class, ok := im.connector.get(name); ok {
		im.used[name] = true
		im.converter(side, class, options)
		return
	}
	for _, k := range options.keys {
		im.ignore(options.byKey[k], "", "without "+name+" beside it Connect does not read it: the worker's converter has the worker's options")
	}
	if class, ok := im.worker.get(name); ok {
		im.converter(side, class, im.worker.under(name+"."))
		return
	}
	if side != "header" {
		im.refuseMissing(side)
		return
	}
	im.setFlag(name, "simple", Source{Place: connectDefault})
	if !im.hasWorker {
		im.notice(Source{}, "header.converter is not set: Connect's default, simple, is taken; a worker may have another, which its file would tell")
	}
}

// refuseMissing says which flags decide what the worker decides in Connect, and what each would send.
func (im *importer) refuseMissing(side string) {
	name := side + ".converter"
	asText, asJSON, wrapped := "the column's text as it is", "it as a JSON string, in quotes", "that"
	expanded, _ := im.value("table.expand.json.payload")
	if side == "value" && expanded == "true" {
		asText, asJSON, wrapped = "Java's text of the expanded payload, such as Struct{a=1}", "the expanded payload as JSON", "that"
	}
	bytea := ""
	if side == "value" {
		bytea = "; for a bytea payload: -value.converter=bytearray sends its bytes"
	}
	im.refuse(Source{}, []string{name}, "%s is not in the configuration, so the bytes depend on the Kafka Connect worker, whose settings are not known: give the worker's properties by a second -config, "+
		"or choose what the worker has. -%s=string sends %s; -%s=json -%s.schemas.enable=false sends %s; -%s=json -%s.schemas.enable=true sends %s inside {\"schema\":...,\"payload\":...}%s",
		name, name, asText, name, name, asJSON, name, name, wrapped, bytea)
}

// converter makes the flags of one converter.
func (im *importer) converter(side string, class setting, options *layer) {
	flag := side + ".converter"
	value, err := im.resolve(class, nil)
	if err != nil {
		im.unresolved(flag, class, err)
		return
	}
	short, reason, suggestion := converterName(value)
	if short == "" {
		reason = strings.ReplaceAll(reason, "%s", flag)
		if suggestion != "" {
			reason += "; did you mean " + suggestion + "?"
		}
		im.refuse(class.src, []string{flag}, "%s: %s", value, reason)
		if suggestion != "" {
			im.converterOptions(side, converterClasses[suggestion], options, false)
		}
		return
	}
	if side == "header" && (short == "bytearray" || short == "binary") {
		im.refuse(class.src, []string{flag}, "%s: for headers it takes bytea only, and fails on any other, such as those of __debezium.context", value)
		return
	}
	im.setFlag(flag, short, class.src)
	if simpleName(strings.TrimSpace(value)) == "ByteBufferConverter" {
		im.notice(class.src, "ByteBufferConverter is what BinaryDataConverter was called until 1.9; taken for it")
	}
	im.converterOptions(side, short, options, true)
}

// converterOptions reads what stands under a converter's name. Without set it only looks for unknown keys.
func (im *importer) converterOptions(side, short string, options *layer, set bool) {
	prefix := side + ".converter."
	for _, k := range options.keys {
		s := options.byKey[k]
		o := im.reg.find(k, Converter)
		switch {
		case o == nil:
			im.ignore(s, nearest(prefix+k, im.reg.names(Converter, prefix)), "")
		case !set:
		case o.Status != Honored:
			im.judge(o, s)
		case applies(k, short):
			im.converterOption(prefix, o, s)
		}
	}
	if !set {
		return
	}
	if _, ok := im.flags[prefix+"schemas.enable"]; short == "json" && !ok {
		im.setFlag(prefix+"schemas.enable", "true", Source{Place: connectDefault})
	}
	im.finishDelegate(prefix + "delegate.converter.type")
}

// finishDelegate gives a JsonConverter behind BinaryDataConverter Connect's default, and takes the option from another
// one, which has no schemas.
func (im *importer) finishDelegate(flag string) {
	_, set := im.flags[flag+".schemas.enable"]
	switch delegate, ok := im.flags[flag]; {
	case ok && delegate.Value == "json" && !set:
		im.setFlag(flag+".schemas.enable", "true", Source{Place: connectDefault})
	case set && delegate.Value != "json":
		delete(im.flags, flag+".schemas.enable")
	}
}

// applies reports whether a converter has the option. Many configurations set schemas.enable for converters that have
// no schemas.
func applies(option, short string) bool {
	if strings.HasPrefix(option, "delegate.") {
		return short == "binary"
	}
	return short == "json"
}

// converterOption makes the flag of one option.
func (im *importer) converterOption(prefix string, o *Option, s setting) {
	honored := *o
	honored.Flag = prefix + o.flag()
	switch {
	case o.Name == "delegate.converter.type":
		im.delegate(&honored, s)
	default:
		im.emit(&honored, s)
	}
}

// delegate translates the class behind BinaryDataConverter.
func (im *importer) delegate(o *Option, s setting) {
	value, err := im.resolve(s, nil)
	if err != nil {
		im.unresolved(o.flag(), s, err)
		return
	}
	short, reason, _ := converterName(value)
	if short == "" || short == "binary" || short == "bytearray" {
		if reason == "" {
			reason = "it cannot stand behind BinaryDataConverter"
		}
		im.refuse(s.src, []string{o.flag()}, "%s: %s", value, strings.ReplaceAll(reason, "%s", o.flag()))
		return
	}
	im.setFlag(o.flag(), short, s.src)
}

// headerConverter is the converter of headers as far as it is known, for values that transforms add.
func (im *importer) headerConverter() schema.Converter {
	name, ok := im.value("header.converter")
	if !ok {
		name = "simple"
	}
	enable, _ := im.value("header.converter.schemas.enable")
	return schema.Converter{Name: name, SchemasEnable: enable == "true"}
}
