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
	suffix  string // and behind it
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
// first event that has its payload's schema or, with a version, that version.
// Later events of all tables reuse it, together with the table and the routed
// value in its name, even after a column was dropped. Where that would fail in
// Debezium, or put another table's default for a null, a table has a schema of
// its own.
type envelopeStore struct {
	first map[string]*schema.Schema // by payload schema or version
	own   map[string]*schema.Schema // by table, version and payload schema
}

// maxEnvelopes bounds the store, like Debezium's own cache.
const maxEnvelopes = 10_000

func newEnvelope(rel *schema.Relation, topicPrefix string, store *envelopeStore) *envelope {
	e := &envelope{rel: rel, store: store, known: map[envelopeKey]layout{}}
	if rel.Namespace != "" { // a message has no name that the envelope's could be derived from
		e.prefix, e.suffix = adjustName(topicPrefix+"."+rel.Namespace+"."+rel.Name)+".", ".Value"
	}
	return e
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
	l := layout{schema: e.store.find(e, key, routed)}
	for _, f := range l.schema.Fields[1:] {
		l.from = append(l.from, e.index(f.Name))
	}
	if len(e.known) < maxEnvelopes {
		e.known[key] = l
	}
	return l
}

// find returns the schema that was made before for such an event, or a new one.
func (s *envelopeStore) find(e *envelope, key envelopeKey, routed []byte) *schema.Schema {
	first := string(key.payload.AppendJSON(nil))
	own := fmt.Sprintf("%s\x00%d\x00%s", e.rel, key.version, first)
	if e.version != nil {
		first = fmt.Sprint(key.version)
	}
	for _, old := range []*schema.Schema{s.first[first], s.own[own]} {
		if old != nil && e.fits(old, key.payload) {
			return old
		}
	}
	fresh := e.newSchema(key, routed)
	if old := s.own[own]; old != nil {
		fresh.Name = old.Name // the table has changed: new fields, under the old name
	}
	if s.first == nil {
		s.first, s.own = map[string]*schema.Schema{}, map[string]*schema.Schema{}
	}
	if s.first[first] == nil && len(s.first) < maxEnvelopes {
		s.first[first] = fresh
	}
	if s.own[own] != nil || len(s.own) < maxEnvelopes {
		s.own[own] = fresh
	}
	return fresh
}

// fits reports whether a schema that was made before takes every field of
// today, and can do without those that it has more.
func (e *envelope) fits(old *schema.Schema, payload *schema.Schema) bool {
	if !old.Fields[0].Schema.Takes(payload) {
		return false
	}
	found := 0
	for _, f := range old.Fields[1:] {
		i := e.index(f.Name)
		switch {
		case i >= 0 && f.Schema.Takes(e.fields[i].codec.Schema):
			found++
		case i >= 0 || !f.Schema.Optional || f.Schema.Default != nil:
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
		Name:   e.prefix + string(routed) + e.suffix,
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
