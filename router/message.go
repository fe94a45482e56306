package router

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/outbox-relay/outbox-relay/schema"
)

// messagePlan is how messages of one shape become records: a Plan for a table whose
// columns are the fields of the message's JSON.
type messagePlan struct {
	*Plan
	values []schema.Datum // which fields are null
	fields []schema.Value // what the Plan's codecs read
}

// maxMessagePlans bounds the shapes that are remembered; what lies beyond is
// prepared anew.
const maxMessagePlans = 1000

// messageName stands for the table's name in errors about a message.
const messageName = "pg_logical_emit_message"

// RouteMessage is Route for an event without a table: content is what
// pg_logical_emit_message wrote, a JSON object with the fields that the options
// name. It does what Debezium's DecodeLogicalDecodingMessageContent does before the
// Event Router: each field has the type that its JSON value shows, a payload that
// is an object becomes a structure, and there are no context headers.
//
// Every error is the fault of this message, and no restart gets past it.
func (r *Router) RouteMessage(content []byte, nowMs int64, rec *Record) error {
	if !utf8.Valid(content) {
		return errors.New("its content is not UTF-8")
	}
	s, v, err := r.settings.message.Expand(content)
	switch {
	case errors.Is(err, schema.ErrNotExpandable) || err == nil && s == nil:
		return errors.New("its content is no JSON object")
	case errors.Is(err, schema.ErrNotUniform):
		return errors.New("its content has no Kafka Connect schema: it has an array at the top or of mixed types, an integer beyond 64 bits, or a field without a name")
	case err != nil:
		return errors.New("its content is no JSON")
	}
	p, err := r.messagePlan(r.interner.Intern(s))
	if err != nil {
		return err
	}
	p.fill(v)
	return p.Route(p.values, nowMs, rec)
}

// messagePlan finds or makes the plan for messages of a schema.
func (r *Router) messagePlan(s *schema.Schema) (*messagePlan, error) {
	if p := r.messages[s]; p != nil {
		return p, nil
	}
	p := &messagePlan{values: make([]schema.Datum, len(s.Fields)), fields: make([]schema.Value, len(s.Fields))}
	rel := &schema.Relation{Name: messageName}
	for i, f := range s.Fields {
		codec := schema.Inferred(f.Name, f.Schema, &p.fields[i])
		rel.Columns = append(rel.Columns, schema.Column{Name: f.Name, Codec: codec})
	}
	var err error
	if p.Plan, err = r.Bind(rel); err != nil {
		return nil, fmt.Errorf("its fields are taken for columns: %w", err)
	}
	p.context = nil // Debezium gives them to changes of tables only
	if r.messages == nil {
		r.messages = map[*schema.Schema]*messagePlan{}
	}
	if len(r.messages) < maxMessagePlans {
		r.messages[s] = p
	}
	return p, nil
}

// fill puts a message's fields where the codecs look for them.
func (p *messagePlan) fill(v schema.Value) {
	copy(p.fields, v.Items)
	for i := range p.fields {
		p.values[i].Kind = schema.Text
		if p.fields[i].IsNull() {
			p.values[i].Kind = schema.Null
		}
	}
}
