package router

import (
	"errors"
	"fmt"
	"strings"

	"github.com/outbox-relay/outbox-relay/schema"
)

// Options are the Event Router's options. Each field's comment names the option,
// as Debezium spells it; enumerations are taken in any case and with blanks
// around them, as Debezium takes them.
type Options struct {
	EventID            string // table.field.event.id
	EventKey           string // table.field.event.key
	EventType          string // table.field.event.type
	EventPayload       string // table.field.event.payload
	EventTimestamp     string // table.field.event.timestamp; "" for the time of processing
	EventSchemaVersion string // table.field.event.schema.version; "" for none

	AdditionalPlacement string // table.fields.additional.placement
	AdditionalMissing   string // table.field.additional.missing: error, ignore

	RouteByField                 string // route.by.field
	RouteTopicRegex              string // route.topic.regex
	RouteTopicReplacement        string // route.topic.replacement
	RouteTombstoneOnEmptyPayload bool   // route.tombstone.on.empty.payload

	ExpandJSONPayload     bool   // table.expand.json.payload
	JSONPayloadNull       string // table.json.payload.null.behavior: ignore, optional_bytes
	JSONPayloadEmptyArray string // table.json.payload.empty.array.behavior: ignore, optional_string
	FieldNameAdjustment   string // field.name.adjustment.mode of the transform: none, avro, avro_unicode

	OpInvalidBehavior string // table.op.invalid.behavior: warn, error, fatal

	// MessageFieldsNull keeps the null fields of messages: fields.null.include of
	// Debezium's DecodeLogicalDecodingMessageContent.
	MessageFieldsNull bool

	// TraceField is tracing.span.context.field: the column with the context of the
	// trace that the event belongs to, which becomes headers; "" for none. Debezium
	// does the same where Connect runs with OpenTelemetry.
	TraceField string

	KeyConverter    schema.Converter // key.converter
	ValueConverter  schema.Converter // value.converter
	HeaderConverter schema.Converter // header.converter

	// Context are headers that every record carries before all others: Debezium's
	// __debezium.context.* of extended.headers.enabled.
	Context []ContextHeader

	Types       schema.TypeOptions // decimal.handling.mode and the like
	TopicPrefix string             // topic.prefix, which the envelope's schema name begins with
}

// ContextHeader is a header of the same text on every record.
type ContextHeader struct{ Key, Value string }

// DefaultOptions returns Debezium's defaults, with the converters that most
// outbox set-ups use: strings for key and value, simple headers.
func DefaultOptions() Options {
	c := schema.DefaultColumns()
	return Options{
		EventID: c.ID, EventKey: c.Key, EventType: c.Type, EventPayload: c.Payload, RouteByField: c.RouteBy,
		AdditionalMissing:     "error",
		RouteTopicRegex:       "(?<routedByValue>.*)",
		RouteTopicReplacement: "outbox.event.${routedByValue}",
		JSONPayloadNull:       "ignore",
		JSONPayloadEmptyArray: "ignore",
		FieldNameAdjustment:   "none",
		OpInvalidBehavior:     "warn",
		KeyConverter:          schema.Converter{Name: "string"},
		ValueConverter:        schema.Converter{Name: "string"},
		HeaderConverter:       schema.Converter{Name: "simple"},
		Types:                 schema.DefaultTypeOptions(),
	}
}

// Columns returns the columns that every outbox table must have. The event's
// type is not among them: the router does not read it.
func (o *Options) Columns() schema.Columns {
	return schema.Columns{ID: o.EventID, Key: o.EventKey, Payload: o.EventPayload,
		RouteBy: o.RouteByField, Timestamp: o.EventTimestamp}
}

// Validate reports every mistake in the options at once, each with the option's
// name, also those that Debezium finds only at the first record.
func (o *Options) Validate() error {
	_, err := compile(*o)
	return err
}

// settings are Options made ready for use.
type settings struct {
	Options
	additional    []placement
	ignoreMissing bool
	enveloped     bool // at least one column is placed in the envelope
	onUpdate      Action
	topics        *topics
	expander      *schema.Expander // nil unless payloads are expanded
	message       schema.Expander  // of the messages that stand for rows
	context       []Header
}

// compile checks the options and prepares what can be prepared.
func compile(o Options) (*settings, error) {
	s := &settings{Options: o, message: schema.Expander{NullAsBytes: o.MessageFieldsNull}}
	var errs []error
	for _, name := range []struct{ option, value string }{
		{"table.field.event.id", o.EventID}, {"table.field.event.key", o.EventKey},
		{"table.field.event.payload", o.EventPayload}, {"route.by.field", o.RouteByField},
	} {
		if name.value == "" {
			errs = append(errs, fmt.Errorf("-%s: a column's name is needed", name.option))
		}
	}
	var err error
	s.topics, err = newTopics(o.RouteTopicRegex, o.RouteTopicReplacement)
	errs = append(errs, err)
	s.additional, err = parsePlacement(o.AdditionalPlacement)
	errs = append(errs, err)
	for _, a := range s.additional {
		s.enveloped = s.enveloped || a.place == inEnvelope
	}
	missing, err := choose("table.field.additional.missing", o.AdditionalMissing, "error", "ignore")
	errs = append(errs, err)
	s.ignoreMissing = missing == "ignore"
	update, err := choose("table.op.invalid.behavior", o.OpInvalidBehavior, "warn", "error", "fatal")
	errs = append(errs, err)
	s.onUpdate = map[string]Action{"warn": DropWarn, "error": DropError, "fatal": Fail}[update]
	s.expander, err = o.expander()
	errs = append(errs, err, o.checkConverters(), o.Types.Validate())
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	s.context, err = o.contextHeaders()
	return s, err
}

// contextHeaders encodes the headers that never change.
func (o *Options) contextHeaders() ([]Header, error) {
	if len(o.Context) == 0 {
		return nil, nil
	}
	enc, err := o.HeaderConverter.Bind(&schema.Schema{Type: schema.TypeString})
	if err != nil {
		return nil, option("header.converter", err)
	}
	var out []Header
	for _, h := range o.Context {
		value, _, err := enc.Encode(schema.Value{Type: schema.TypeString, Bytes: []byte(h.Value)}, nil)
		if err != nil {
			return nil, option("header.converter", err)
		}
		out = append(out, Header{Key: h.Key, Value: value})
	}
	return out, nil
}

// expander prepares JSON expansion, or returns nil if it is off.
func (o *Options) expander() (*schema.Expander, error) {
	null, errNull := choose("table.json.payload.null.behavior", o.JSONPayloadNull, "ignore", "optional_bytes")
	empty, errEmpty := choose("table.json.payload.empty.array.behavior", o.JSONPayloadEmptyArray, "ignore", "optional_string")
	names, errNames := choose("field.name.adjustment.mode", o.FieldNameAdjustment, "none", "avro", "avro_unicode")
	if err := errors.Join(errNull, errEmpty, errNames); err != nil || !o.ExpandJSONPayload {
		return nil, err
	}
	return &schema.Expander{
		PayloadColumnName: o.EventPayload,
		NullAsBytes:       null == "optional_bytes",
		EmptyAsStrings:    empty == "optional_string",
		AdjustFieldName:   fieldNamers[names],
	}, nil
}

func (o *Options) checkConverters() error {
	return errors.Join(
		option("key.converter", o.KeyConverter.Validate()),
		option("value.converter", o.ValueConverter.Validate()),
		option("header.converter", o.HeaderConverter.Validate()))
}

// choose reads an enumeration.
func choose(option, value string, allowed ...string) (string, error) {
	v := strings.ToLower(strings.TrimSpace(value))
	for _, a := range allowed {
		if v == a {
			return a, nil
		}
	}
	return "", fmt.Errorf("-%s: %q is none of %s", option, value, strings.Join(allowed, ", "))
}
