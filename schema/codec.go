package schema

import (
	"errors"
	"fmt"
)

// decodeFunc reads a type's text output into a Value. It may put bytes of the
// value at the end of buf, and returns buf with them.
type decodeFunc func(text, buf []byte) (Value, []byte, error)

// Codec reads one column. It is bound once for each Relation, so that reading a
// row takes no decision about types.
type Codec struct {
	Column *Column
	Schema *Schema

	// Verbatim says that the text which PostgreSQL sends is the value's string
	// form already, so that string converters may pass it on untouched.
	Verbatim bool

	decode decodeFunc
	null   Value // what NULL reads as
}

// Bind chooses the Codec for a column. It fails, naming the column and its type,
// if records could not be what Debezium sends for that type.
func Bind(col *Column, opt TypeOptions) (*Codec, error) {
	if col.Codec != nil {
		return col.Codec, nil
	}
	k, err := opt.kindOf(col)
	if err != nil {
		return nil, err
	}
	s := k.schema // a copy: optional and default are the column's own
	s.Optional = !col.NotNull
	c := &Codec{Column: col, Schema: &s, Verbatim: k.verbatim, decode: k.decode}
	if text, ok := col.defaultValue(); ok && !k.noDefault {
		// What the type does not take is no default, as in Debezium.
		if v, _, err := k.decode([]byte(text), nil); err == nil && !v.IsNull() {
			s.Default = &v
			c.null = v
		}
	}
	return c, nil
}

// Decode reads a value. Like Connect's Struct.get it answers the column's
// default for null. Bytes of the value may be appended to buf, which is
// returned.
func (c *Codec) Decode(d Datum, buf []byte) (Value, []byte, error) {
	switch d.Kind {
	case Null:
		return c.null, buf, nil
	case Text:
		v, buf, err := c.decode(d.Bytes, buf)
		switch {
		case err != nil:
			err = fmt.Errorf("type %s: %w", c.Column.TypeText(), err)
		case v.IsNull() && c.Column.NotNull: // NaN in a decimal column
			err = fmt.Errorf("type %s: the value has no form in Kafka Connect, and the column is NOT NULL", c.Column.TypeText())
		case v.IsNull():
			v = c.null
		}
		return v, buf, err
	default:
		return Value{}, buf, errors.New("the value was not sent: an unchanged TOAST value has no place in an insert")
	}
}

// Null reports whether the column reads as null: it is, and has no default.
func (c *Codec) Null(d Datum) bool { return d.Kind == Null && c.null.IsNull() }

// kind is what a type, with its modifier and the options, comes to.
type kind struct {
	schema   Schema
	decode   decodeFunc
	verbatim bool
	// noDefault: Debezium gives the column no schema default, whatever the table says.
	noDefault bool
	// unknown: Debezium knows the type as bytes of text at best.
	unknown bool
}

// stringKind is a type whose text is its value.
func stringKind(name string) kind {
	return kind{schema: named(TypeString, name), decode: decodeString, verbatim: true}
}

// named is a schema with a semantic type; Debezium's are all in version 1.
func named(t Type, name string) Schema {
	if name == "" {
		return Schema{Type: t}
	}
	return Schema{Type: t, Name: name, Version: 1, HasVersion: true}
}
