package router

import (
	"errors"
	"fmt"

	"github.com/outbox-relay/outbox-relay/schema"
)

// Plan is how rows of one Relation become records. Like the Relation it is
// replaced when the table changes, and like the Router it belongs to one
// goroutine.
type Plan struct {
	rel    *schema.Relation
	topics *topics
	route  field
	id     field
	key    field
	value  valueWriter
	stamp  *stampField // nil for the time of processing
	trace  *field      // nil if no context of a trace is passed on

	settings  *settings
	oldKey    *keyWriter // nil until a row's key changes
	context   []Header   // the same on every record, before all others
	headers   []header
	partition []field // in configured order: the last one decides
}

// header is an additional column that becomes a header.
type header struct {
	field
	key string
}

// Bind checks that rel has the columns that the options name, that their types
// can be what the options want them to be, and prepares to route its rows. All
// that is wrong is reported at once.
func (r *Router) Bind(rel *schema.Relation) (*Plan, error) {
	o := &r.settings.Options
	if err := o.Columns().Check(rel); err != nil {
		return nil, err
	}
	p := &Plan{rel: rel, settings: r.settings, topics: r.settings.topics, context: r.settings.context}
	errs := []error{p.bindRoute(r), p.bindStamp(r), p.bindTrace(r)}
	var err error
	p.id, err = r.bind(rel, o.EventID, o.HeaderConverter)
	errs = append(errs, option("table.field.event.id", err))
	p.key, err = r.bind(rel, o.EventKey, o.KeyConverter)
	errs = append(errs, option("table.field.event.key", err))
	errs = append(errs, option("table.field.event.payload", p.bindValue(r)))
	for _, a := range r.settings.additional {
		errs = append(errs, option("table.fields.additional.placement", p.add(r, a)))
	}
	errs = append(errs, p.checkValue(r))
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("table %s: %w", rel, err)
	}
	return p, nil
}

// option puts the option's name before an error.
func option(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("-%s: %w", name, err)
}

// bindRoute prepares the column that chooses the topic. It must be a string in
// Connect: text, varchar, uuid, enum and so on.
func (p *Plan) bindRoute(r *Router) error {
	f, err := r.column(p.rel, r.settings.RouteByField)
	if err == nil && f.codec.Schema.Type != schema.TypeString {
		err = fmt.Errorf("column %q is of type %s; a topic is chosen by a column of a text type",
			f.name, f.codec.Column.TypeText())
	}
	p.route = f
	return option("route.by.field", err)
}

// bindValue prepares the payload column and what becomes of it.
func (p *Plan) bindValue(r *Router) error {
	o := &r.settings.Options
	f, err := r.column(p.rel, o.EventPayload)
	if err != nil {
		return err
	}
	p.value = valueWriter{
		payload: f, conv: o.ValueConverter, tombstone: o.RouteTombstoneOnEmptyPayload,
		expander: r.settings.expander, interner: &r.interner,
		encoders: map[*schema.Schema]*schema.Encoder{},
	}
	if r.settings.enveloped {
		p.value.envelope = newEnvelope(p.rel, o.TopicPrefix, &r.envelopes)
		return p.value.envelope.bindVersion(r)
	}
	// With an envelope the converter never sees the payload alone.
	p.value.payload, err = r.bind(p.rel, o.EventPayload, o.ValueConverter)
	return err
}

// checkValue finds out whether the converter can write the envelope.
func (p *Plan) checkValue(r *Router) error {
	e := p.value.envelope
	if e == nil {
		return nil
	}
	s := e.newSchema(envelopeKey{p.value.payload.codec.Schema, noVersion}, nil)
	_, err := r.settings.ValueConverter.Bind(s)
	return option("table.fields.additional.placement", err)
}

// add prepares an additional column. Debezium also takes a column for missing if
// it leaves its type out.
func (p *Plan) add(r *Router, a placement) error {
	missing := p.rel.Index(a.column) < 0
	err := p.place(r, a)
	var unsupported *schema.UnsupportedError
	if errors.As(err, &unsupported) && unsupported.Omitted {
		missing = true
	}
	if missing && r.settings.ignoreMissing {
		return nil
	}
	if p.rel.Index(a.column) < 0 {
		return fmt.Errorf("the table lacks column %q; it has %s", a.column, p.rel.ColumnNames())
	}
	return err
}

// place prepares an additional column for where it goes.
func (p *Plan) place(r *Router, a placement) error {
	switch a.place {
	case asPartition:
		f, err := r.column(p.rel, a.column)
		if err == nil && f.codec.Schema.Type != schema.TypeInt32 {
			err = fmt.Errorf("column %q is of type %s; a partition is an integer", a.column, f.codec.Column.TypeText())
		}
		if err == nil {
			p.partition = append(p.partition, f)
		}
		return err
	case inHeader:
		f, err := r.bind(p.rel, a.column, r.settings.HeaderConverter)
		if err == nil {
			p.headers = append(p.headers, header{f, a.alias})
		}
		return err
	default:
		f, err := r.column(p.rel, a.column)
		if err == nil && p.value.envelope != nil {
			p.value.envelope.fields = append(p.value.envelope.fields, envelopeField{f, a.alias})
		}
		return err
	}
}

// stampField is the column that holds the event's time.
type stampField struct {
	field
	toMillis func(int64) int64
}

// bindStamp prepares table.field.event.timestamp. Debezium takes timestamps
// without time zone only, and so do we: for timestamptz and bigint it has no
// unit.
func (p *Plan) bindStamp(r *Router) error {
	name := r.settings.EventTimestamp
	if name == "" {
		return nil
	}
	f, err := r.column(p.rel, name)
	if err != nil {
		return option("table.field.event.timestamp", err)
	}
	p.stamp = &stampField{field: f}
	switch f.codec.Schema.Name {
	case schema.NameTimestamp:
		p.stamp.toMillis = func(n int64) int64 { return n }
	case schema.NameMicroTimestamp: // toward zero, as Java divides
		p.stamp.toMillis = func(n int64) int64 { return n / 1000 }
	case schema.NameNanoTimestamp:
		p.stamp.toMillis = func(n int64) int64 { return n / 1_000_000 }
	default:
		return fmt.Errorf("-table.field.event.timestamp: column %q is of type %s; the event's time must be a timestamp without time zone (time.precision.mode adaptive, microseconds or nanoseconds)",
			name, f.codec.Column.TypeText())
	}
	return nil
}
