package router

import (
	"errors"

	"github.com/outbox-relay/outbox-relay/schema"
)

// valueWriter turns the payload column into the record's value, by way of JSON
// expansion and the envelope where they are asked for.
type valueWriter struct {
	payload   field
	conv      schema.Converter
	tombstone bool // route.tombstone.on.empty.payload
	expander  *schema.Expander
	interner  *schema.Interner
	envelope  *envelope

	// encoders are those of schemas other than the payload column's own.
	encoders map[*schema.Schema]*schema.Encoder
}

// maxEncoders bounds the encoders that are kept; what lies beyond is encoded
// without.
const maxEncoders = 10_000

// plain reports whether the payload column alone makes the value.
func (w *valueWriter) plain() bool { return w.expander == nil && w.envelope == nil }

// write sets the record's value.
func (w *valueWriter) write(routed []byte, values []schema.Datum, rec *Record) error {
	if w.plain() && !w.tombstone {
		var err error
		rec.Value, err = w.payload.bytes(values, rec)
		return err
	}
	v, err := w.payload.value(values, rec)
	if err != nil {
		return err
	}
	s := w.payload.codec.Schema
	if w.expander != nil {
		s, v = w.expand(s, v, rec)
	}
	if w.tombstone && empty(v) {
		rec.Value = nil
		return nil
	}
	if w.envelope != nil {
		if s, v, err = w.wrap(s, v, routed, values, rec); err != nil {
			return err
		}
	}
	rec.Value, rec.scratch, err = w.encode(s, v, rec.scratch)
	if err != nil {
		return &RowError{Column: w.payload.name, Reason: "it cannot be written", Err: err}
	}
	return nil
}

// expand infers a schema for a JSON payload. If there is none, the text is sent
// as it is, and the record says so.
func (w *valueWriter) expand(s *schema.Schema, v schema.Value, rec *Record) (*schema.Schema, schema.Value) {
	switch {
	case v.IsNull():
		return s, v
	case v.Type != schema.TypeString:
		rec.Unexpanded = NotText
		return s, v
	}
	inferred, expanded, err := w.expander.Expand(v.Bytes)
	switch {
	case errors.Is(err, schema.ErrNotExpandable):
		rec.Unexpanded = NotObject
	case errors.Is(err, schema.ErrNotUniform):
		rec.Unexpanded = NotUniform
	case err != nil:
		rec.Unexpanded = NotJSON
	case inferred == nil:
		rec.Unexpanded = NotUniform
		return nil, expanded
	default:
		return w.interner.Intern(inferred), expanded
	}
	return s, v
}

// wrap puts the value into the envelope. A payload without a schema, which
// Debezium cannot wrap, keeps the column's.
func (w *valueWriter) wrap(s *schema.Schema, v schema.Value, routed []byte, values []schema.Datum, rec *Record) (*schema.Schema, schema.Value, error) {
	if s == nil {
		s = w.payload.codec.Schema
	}
	return w.envelope.wrap(s, v, routed, values, rec)
}

func (w *valueWriter) encode(s *schema.Schema, v schema.Value, buf []byte) (out, rest []byte, err error) {
	if w.payload.enc != nil && (s == nil || s == w.payload.codec.Schema) {
		return w.payload.enc.EncodeAs(s, v, buf)
	}
	enc := w.encoders[s]
	if enc == nil {
		if enc, err = w.conv.Bind(s); err != nil {
			return nil, buf, err
		}
		if len(w.encoders) < maxEncoders {
			w.encoders[s] = enc
		}
	}
	return enc.Encode(v, buf)
}

// empty is Debezium's test for a tombstone: null, or a string of which Java's
// trim leaves nothing. Empty bytes are not empty.
func empty(v schema.Value) bool {
	return v.IsNull() || v.Type == schema.TypeString && blank(v.Bytes)
}

// blank reports whether a text has no character above the blank. Unicode's other
// spaces are not blank to Java's trim.
func blank(text []byte) bool {
	for _, c := range text {
		if c > ' ' {
			return false
		}
	}
	return true
}
