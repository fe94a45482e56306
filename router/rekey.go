package router

import (
	"fmt"
	"slices"

	"github.com/outbox-relay/outbox-relay/schema"
)

// oldKeyHeader is Debezium's header with the key that a row had before an UPDATE
// changed it.
const oldKeyHeader = "__debezium.oldkey"

// keyWriter writes a table's key, a structure of the columns of its primary key,
// as a header.
type keyWriter struct {
	fields []field
	enc    *schema.Encoder
	items  []schema.Value
}

// RouteRekeyed is Route for a row whose primary key an UPDATE changed: Debezium
// sends it as a new event, with the old key in a header before all others. before
// has one Datum for each column, of which only those of the key are read.
func (p *Plan) RouteRekeyed(before, values []schema.Datum, nowMs int64, rec *Record) error {
	if err := p.Route(values, nowMs, rec); err != nil {
		return err
	}
	if len(before) != len(p.rel.Columns) {
		return fmt.Errorf("route a changed row of %s: its old key has %d values for %d columns", p.rel, len(before), len(p.rel.Columns))
	}
	if p.oldKey == nil {
		w, err := p.bindKey()
		if err != nil {
			return err
		}
		p.oldKey = w
	}
	key, err := p.oldKey.bytes(before, rec)
	if err != nil {
		return err
	}
	rec.Headers = slices.Insert(rec.Headers, 0, Header{Key: oldKeyHeader, Value: key})
	return nil
}

// bindKey prepares the table's key. It is done at the first need: hardly any
// outbox is ever updated.
func (p *Plan) bindKey() (*keyWriter, error) {
	s := &schema.Schema{Type: schema.TypeStruct, Name: adjustName(p.settings.TopicPrefix+"."+p.rel.String()) + ".Key"}
	w := &keyWriter{}
	for _, i := range p.rel.PrimaryKey() {
		codec, err := schema.Bind(&p.rel.Columns[i], p.settings.Types)
		if err != nil {
			return nil, err
		}
		w.fields = append(w.fields, field{index: i, name: p.rel.Columns[i].Name, codec: codec})
		s.Fields = append(s.Fields, schema.Field{Name: p.rel.Columns[i].Name, Schema: codec.Schema})
	}
	var err error
	if w.enc, err = p.settings.HeaderConverter.Bind(s); err != nil {
		return nil, fmt.Errorf("table %s: header %s: %w", p.rel, oldKeyHeader, err)
	}
	return w, nil
}

func (w *keyWriter) bytes(before []schema.Datum, rec *Record) ([]byte, error) {
	w.items = w.items[:0]
	for i := range w.fields {
		v, err := w.fields[i].value(before, rec)
		if err != nil {
			return nil, err
		}
		w.items = append(w.items, v)
	}
	out, scratch, err := w.enc.Encode(schema.Value{Type: schema.TypeStruct, Items: w.items}, rec.scratch)
	rec.scratch = scratch
	if err != nil {
		return nil, &RowError{Column: w.fields[0].name, Reason: "the old key cannot be written", Err: err}
	}
	return out, nil
}
