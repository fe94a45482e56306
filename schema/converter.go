package schema

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// Converter says how Connect turns keys, values or headers into bytes.
type Converter struct {
	// Name is one of
	//	string     StringConverter
	//	json       JsonConverter
	//	simple     SimpleHeaderConverter
	//	bytearray  Kafka's ByteArrayConverter: bytea columns only
	//	binary     Debezium's BinaryDataConverter: bytea as it is, anything else by Delegate
	Name string
	// SchemasEnable is JsonConverter's schemas.enable. Connect's default is true.
	SchemasEnable bool
	// DecimalFormat is JsonConverter's decimal.format: BASE64 (default) or NUMERIC.
	DecimalFormat string
	// Delegate is what BinaryDataConverter leaves other types to; nil for nothing.
	Delegate *Converter
}

// Validate reports a converter that does not exist or is set up wrongly.
func (c Converter) Validate() error {
	switch c.Name {
	case "string", "simple", "bytearray":
		return nil
	case "json":
		if f := strings.ToUpper(c.DecimalFormat); f != "" && f != "BASE64" && f != "NUMERIC" {
			return fmt.Errorf("decimal.format %q is neither BASE64 nor NUMERIC", c.DecimalFormat)
		}
		return nil
	case "binary":
		if c.Delegate == nil {
			return nil
		}
		if c.Delegate.Name == "binary" || c.Delegate.Name == "bytearray" {
			return fmt.Errorf("converter binary cannot delegate to %s", c.Delegate.Name)
		}
		return c.Delegate.Validate()
	}
	return fmt.Errorf("converter %q is none of string, json, simple, bytearray, binary", c.Name)
}

// Encoder writes values with one Converter.
type Encoder struct {
	schema *Schema // what it was bound to
	conv   string
	json   jsonFormat
	// prefix opens the envelope of JSON with schemas: the schema, up to the value.
	prefix []byte
}

// Bind prepares the converter for a column's or an envelope's schema. It fails
// if the converter cannot write values of that schema as Connect would.
func (c Converter) Bind(s *Schema) (*Encoder, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	e := &Encoder{schema: s, conv: c.Name}
	switch c.Name {
	case "string":
		switch what := unprintable(s); what {
		case "":
		case nameConnectDate, nameConnectTime, nameConnectStamp:
			return nil, fmt.Errorf("the string converter prints %s in the time zone of the machine that Kafka Connect runs on; use another converter or another time.precision.mode", what)
		default:
			return nil, fmt.Errorf("the string converter prints %s differently in each run of Kafka Connect; use another converter", what)
		}
	case "bytearray", "binary":
		switch {
		case s.Type == TypeBytes:
		case c.Name == "binary" && c.Delegate != nil:
			return c.Delegate.Bind(s)
		case c.Name == "binary":
			return nil, errors.New("the binary converter takes bytea only, unless it has a delegate")
		default:
			return nil, errors.New("the bytearray converter takes bytea only")
		}
	case "json":
		e.json.numericDecimals = strings.EqualFold(c.DecimalFormat, "NUMERIC")
		if c.SchemasEnable {
			e.prefix = e.appendPrefix(nil, s)
		}
	}
	return e, nil
}

// Verbatim reports whether a column whose text is its value may be sent without
// reading it.
func (e *Encoder) Verbatim() bool { return e.conv == "string" || e.conv == "simple" }

// Encode returns the bytes of a value of the schema that the Encoder is bound
// to, nil for null. They stand at the end of buf, which is returned, or alias v.
func (e *Encoder) Encode(v Value, buf []byte) (out, rest []byte, err error) {
	return e.EncodeAs(e.schema, v, buf)
}

// EncodeAs is Encode for a value that brings its own schema. s may be nil for
// none.
func (e *Encoder) EncodeAs(s *Schema, v Value, buf []byte) (out, rest []byte, err error) {
	if e.conv != "json" {
		return e.encodePlain(s, v, buf)
	}
	start := len(buf)
	switch {
	case e.prefix == nil:
	case s == e.schema:
		buf = append(buf, e.prefix...)
	default:
		buf = e.appendPrefix(buf, s)
	}
	if buf, err = e.json.appendValue(buf, s, v); err != nil {
		return nil, buf, err
	}
	if e.prefix != nil {
		buf = append(buf, '}')
	}
	return buf[start:], buf, nil
}

// encodePlain is every converter but JSON. Bytes are sent as they are, also by
// the string converter: Java would print a buffer's position and limit, which no
// consumer can have a use for.
func (e *Encoder) encodePlain(s *Schema, v Value, buf []byte) (out, rest []byte, err error) {
	start := len(buf)
	switch {
	case v.Type == TypeNull:
		return nil, buf, nil
	case v.Type == TypeString:
		return notNil(v.Bytes), buf, nil
	case v.Type == TypeBytes && e.conv != "simple":
		return notNil(v.Bytes), buf, nil
	case v.Type == TypeBytes:
		buf = base64.StdEncoding.AppendEncode(buf, v.Bytes)
	case e.conv == "simple":
		buf = appendSimple(buf, s, v)
	default:
		buf = appendString(buf, s, v)
	}
	return notNil(buf[start:]), buf, nil
}

func (e *Encoder) appendPrefix(dst []byte, s *Schema) []byte {
	dst = e.json.appendSchema(append(dst, `{"schema":`...), s, nil)
	return append(dst, `,"payload":`...)
}

// unprintable names what Java's toString has no stable text for: a byte[] shows
// its address, a java.util.Date the time zone of the machine.
func unprintable(s *Schema) string {
	switch {
	case s.Name == nameBits || s.Name == nameVariableDecimal || s.Name == namePoint:
		return s.Name
	case isJavaDate(s):
		return s.Name
	case s.Items != nil:
		return unprintable(s.Items)
	}
	for i := range s.Fields {
		if what := unprintable(s.Fields[i].Schema); what != "" {
			return what
		}
	}
	return ""
}

// notNil keeps a value of no bytes apart from null.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
