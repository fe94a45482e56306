package router

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/outbox-relay/outbox-relay/schema"
)

// envelope wraps the payload of one table together with additional columns.
type envelope struct {
	fields  []envelopeField
	version *field // table.field.event.schema.version
	rel     *schema.Relation
	prefix  string // the schema's name, up to the routed value
	store   *envelopeStore
	known   map[envelopeKey]layout
	items   []schema.Value // reused from row to row
}

// envelopeField is an additional column in the envelope.
type envelopeField struct {
	field
	alias string
}

// envelopeKey chooses the envelope's schema.
type envelopeKey struct {
	payload *schema.Schema
	version int64 // noVersion for none
}

// noVersion is beyond every int32.
const noVersion = 1 << 40

// layout is an envelope's schema and where its fields behind the payload come
// from: positions in envelope.fields, -1 for a column that was dropped.
type layout struct {
	schema *schema.Schema
	from   []int
}

// envelopeStore remembers envelope schemas for as long as the Router lives.
//
// This reproduces a habit of Debezium: an envelope's schema is made for the
// first event that has its payload's schema (or its version), and later events
// reuse it, together with the routed value in its name, even after a column was
// dropped. Unlike Debezium it keeps tables apart.
type envelopeStore struct{ known map[string]*schema.Schema }

// maxEnvelopes bounds the store, like Debezium's own cache.
const maxEnvelopes = 10_000

func newEnvelope(rel *schema.Relation, topicPrefix string, store *envelopeStore) *envelope {
	name := topicPrefix + "." + rel.Namespace + "." + rel.Name
	return &envelope{rel: rel, prefix: adjustName(name) + ".", store: store, known: map[envelopeKey]layout{}}
}

// adjustName replaces what a topic's name cannot have, UTF-16 unit by unit, as
// Debezium does with the names that schemas are derived from.
func adjustName(name string) string {
	var b strings.Builder
	for _, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '-', c == '_':
			b.WriteRune(c)
		default:
			b.WriteString(strings.Repeat("_", utf16.RuneLen(c)))
		}
	}
	return b.String()
}

// wrap makes the envelope's value. routed is the value of the route-by column,
// which becomes part of a new schema's name.
func (e *envelope) wrap(payload *schema.Schema, v schema.Value, routed []byte, values []schema.Datum, rec *Record) (*schema.Schema, schema.Value, error) {
	version, err := e.rowVersion(values, rec)
	if err != nil {
		return nil, schema.Value{}, err
	}
	l := e.layout(envelopeKey{payload, version}, routed)
	e.items = append(e.items[:0], v)
	for _, from := range l.from {
		var item schema.Value
		if from >= 0 {
			if item, err = e.fields[from].value(values, rec); err != nil {
				return nil, schema.Value{}, err
			}
		}
		e.items = append(e.items, item)
	}
	return l.schema, schema.Value{Type: schema.TypeStruct, Items: e.items}, nil
}

func (e *envelope) layout(key envelopeKey, routed []byte) layout {
	if l, ok := e.known[key]; ok {
		return l
	}
	fresh := e.newSchema(key, routed)
	id := e.rel.String() + "\x00" + fmt.Sprint(key.version) + "\x00" + string(key.payload.AppendJSON(nil))
	old := e.store.known[id]
	l := layout{schema: fresh}
	switch {
	case old == nil:
		e.store.put(id, fresh)
	case e.covers(old):
		l.schema = old
	default: // the table has changed: new fields, under the old name
		fresh.Name = old.Name
		e.store.put(id, fresh)
	}
	for _, f := range l.schema.Fields[1:] {
		l.from = append(l.from, e.index(f.Name))
	}
	if len(e.known) < maxEnvelopes {
		e.known[key] = l
	}
	return l
}

func (s *envelopeStore) put(id string, sch *schema.Schema) {
	if s.known == nil {
		s.known = map[string]*schema.Schema{}
	}
	if _, ok := s.known[id]; ok || len(s.known) < maxEnvelopes {
		s.known[id] = sch
	}
}

// covers reports whether a schema that was made before still holds every field
// of today, and could do without those that are gone.
func (e *envelope) covers(old *schema.Schema) bool {
	found := 0
	for _, f := range old.Fields[1:] {
		i := e.index(f.Name)
		switch {
		case i >= 0 && f.Schema.Equal(e.fields[i].codec.Schema):
			found++
		case i >= 0 || !f.Schema.Optional:
			return false
		}
	}
	return found == len(e.fields)
}

func (e *envelope) index(alias string) int {
	for i := range e.fields {
		if e.fields[i].alias == alias {
			return i
		}
	}
	return -1
}

func (e *envelope) newSchema(key envelopeKey, routed []byte) *schema.Schema {
	s := &schema.Schema{
		Type:   schema.TypeStruct,
		Name:   e.prefix + string(routed) + ".Value",
		Fields: []schema.Field{{Name: "payload", Schema: key.payload}},
	}
	if key.version != noVersion {
		s.Version, s.HasVersion = int32(key.version), true
	}
	for i := range e.fields {
		s.Fields = append(s.Fields, schema.Field{Name: e.fields[i].alias, Schema: e.fields[i].codec.Schema})
	}
	return s
}

// rowVersion reads the version column; NULL is no version.
func (e *envelope) rowVersion(values []schema.Datum, rec *Record) (int64, error) {
	if e.version == nil || values[e.version.index].Kind == schema.Null {
		return noVersion, nil
	}
	v, err := e.version.value(values, rec)
	return v.Int, err
}

// bindVersion prepares table.field.event.schema.version, which only an envelope
// has a use for.
func (e *envelope) bindVersion(r *Router) error {
	name := r.settings.EventSchemaVersion
	if name == "" {
		return nil
	}
	f, err := r.column(e.rel, name)
	if err == nil && f.codec.Schema.Type != schema.TypeInt32 {
		err = fmt.Errorf("column %q is of type %s; a schema's version is an integer", name, f.codec.Column.TypeText())
	}
	e.version = &f
	return option("table.field.event.schema.version", err)
}
