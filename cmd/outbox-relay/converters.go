package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
	"github.com/outbox-relay/outbox-relay/schema"
)

// converter is the options of one of Connect's converters.
type converter struct {
	name, decimals, delegate string
	schemas, delegateSchemas bool
	dst                      *schema.Converter
}

// declareConverters adds the options of the key's, the value's and the headers'
// converter.
func (s *settings) declareConverters(g *options.Group) {
	o := &s.router
	s.converters = []*converter{{dst: &o.KeyConverter}, {dst: &o.ValueConverter}, {dst: &o.HeaderConverter}}
	for i, kind := range []string{"key", "value", "header"} {
		c := s.converters[i]
		name := kind + ".converter"
		words := []string{"string", "json", "bytearray", "binary"}
		if kind == "header" {
			words = []string{"simple", "string", "json"}
		}
		options.Parsed(g, &c.name, name, words[0], "how the "+kind+" becomes bytes: `"+strings.Join(words, "|")+"`, or the name of Connect's class", converterName(words))
		g.Bool(&c.schemas, name+".schemas.enable", true, "for json: wrap each "+kind+" with its schema")
		g.String(&c.decimals, name+".decimal.format", "BASE64", "for json: how decimals are written", options.OneOf("BASE64", "NUMERIC"))
		if kind != "header" {
			g.String(&c.delegate, name+".delegate.converter.type", "", "for binary: the converter of what is not bytea", options.OneOf("string", "json", "simple"))
			g.Bool(&c.delegateSchemas, name+".delegate.converter.type.schemas.enable", true, "for a delegate json: wrap with the schema")
		}
	}
}

// converterName returns a parser that takes one of the short names, or the class
// that it stands for.
func converterName(words []string) func(string) (string, error) {
	return func(text string) (string, error) {
		name := dbzconfig.ConverterName(text)
		if !slices.Contains(words, name) {
			return "", fmt.Errorf("is not one of %s, nor the class of one", strings.Join(words, ", "))
		}
		return name, nil
	}
}

// apply completes the router's converter.
func (c *converter) apply() {
	*c.dst = schema.Converter{Name: c.name, SchemasEnable: c.schemas, DecimalFormat: c.decimals}
	if c.delegate != "" {
		c.dst.Delegate = &schema.Converter{Name: c.delegate, SchemasEnable: c.delegateSchemas, DecimalFormat: c.decimals}
	}
}

// declareTypes adds the options that say how columns are read.
func (s *settings) declareTypes(g *options.Group) {
	t := &s.router.Types
	g.String(&t.DecimalHandling, "decimal.handling.mode", "precise", "how numeric columns are sent", options.OneOf("precise", "double", "string"))
	g.String(&t.TimePrecision, "time.precision.mode", "adaptive", "how temporal columns are sent", options.OneOf("adaptive", "adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds"))
	g.String(&t.BinaryHandling, "binary.handling.mode", "bytes", "how bytea columns are sent", options.OneOf("bytes", "base64", "base64-url-safe", "hex"))
	g.String(&t.HStoreHandling, "hstore.handling.mode", "json", "how hstore columns are sent", options.OneOf("json", "map"))
	g.String(&t.IntervalHandling, "interval.handling.mode", "numeric", "how interval columns are sent", options.OneOf("numeric", "string"))
	g.Int(&t.MoneyFractionDigits, "money.fraction.digits", 2, "`digits` behind the point of money columns", options.AtLeast(0))
	g.Bool(&t.IncludeUnknown, "include.unknown.datatypes", false, "send columns of types that Debezium does not know, as bytes")
}

// declareExpansion adds the options of payloads that are more than text.
func (s *settings) declareExpansion(g *options.Group) {
	o := &s.router
	g.String(&o.EventSchemaVersion, "table.field.event.schema.version", "", "int4 `column` with the version of the envelope's schema")
	g.Bool(&o.ExpandJSONPayload, "table.expand.json.payload", false, "send a JSON payload as a structure, for value.converter json")
	g.String(&o.JSONPayloadNull, "table.json.payload.null.behavior", o.JSONPayloadNull, "what becomes of null fields when expanding", options.OneOf("ignore", "optional_bytes"))
	g.String(&o.JSONPayloadEmptyArray, "table.json.payload.empty.array.behavior", o.JSONPayloadEmptyArray, "what becomes of empty arrays when expanding", options.OneOf("ignore", "optional_string"))
	g.String(&o.FieldNameAdjustment, "field.name.adjustment.mode", o.FieldNameAdjustment, "how names of expanded fields are adjusted", options.OneOf("none", "avro", "avro_unicode"))
	g.String(&o.TopicPrefix, "topic.prefix", "", "`name` of the source: first part of the envelope's schema name, and in the context headers and the heartbeats' topic")
}

// checkRouter completes the router's options and checks them.
func (s *settings) checkRouter() error {
	for _, c := range s.converters {
		c.apply()
	}
	if err := s.router.Validate(); err != nil {
		return err
	}
	return s.checkTargets()
}

// checkTargets refuses a rule by which every topic has a name that Kafka does not
// allow, unless a RegexRouter behind the router may mend it.
func (s *settings) checkTargets() error {
	t, err := s.router.Targets()
	if err != nil || strings.Contains(s.imported.after, "RegexRouter") {
		return err
	}
	for _, part := range []string{t.Fixed, t.Before, t.After} {
		if bad := strings.TrimLeftFunc(part, topicLetter); bad != "" {
			return fmt.Errorf("route.topic.replacement: every topic would have %q in its name, which Kafka does not allow: letters, digits, dots, underscores and hyphens of ASCII are allowed", firstRune(bad))
		}
	}
	return nil
}

func firstRune(s string) string { return string([]rune(s)[:1]) }

// topicLetter knows what may be in a topic's name.
func topicLetter(c rune) bool {
	return c == '.' || c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
