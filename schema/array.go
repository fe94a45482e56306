package schema

import (
	"bytes"
	"errors"
	"strings"
)

// arrayKind is an array of elem's type.
func (o TypeOptions) arrayKind(col, elem *Column) (kind, error) {
	if omittedArrays[elem.TypeOID] {
		return kind{}, &UnsupportedError{Column: col.Name, Type: col.TypeText(), Omitted: true}
	}
	// Debezium gives a bit array the schema of a single bit string, and loses
	// every value.
	if elem.TypeOID == oidBit {
		return kind{}, &UnsupportedError{Column: col.Name, Type: col.TypeText()}
	}
	k, err := o.elementKind(elem)
	if err != nil {
		var u *UnsupportedError
		if errors.As(err, &u) {
			u.Type = col.TypeText()
		}
		return kind{}, err
	}
	items := k.schema
	items.Optional = true
	a := arrayReader{
		decode: k.decode, delimiter: ',',
		flat: k.verbatim && items.Type == TypeString && !isNamed(elem, "citext"),
	}
	if elem.TypeOID == oidBox {
		a.delimiter = ';'
	}
	switch {
	case elem.TypeOID == oidTime:
		a.decode = truncatedTime(k.decode)
	case k.unknown, elem.TypeOID == oidTsvector, elem.Type != nil && elem.Type.Kind == 'e':
		items.Optional = false
		a.nullAsWhole = true
	case isNamed(elem, "ltree"):
		a.nullAsWhole = true
	}
	// Debezium reads no default of an array.
	return kind{schema: Schema{Type: TypeArray, Items: &items}, decode: a.decodeArray, noDefault: true}, nil
}

// elementKind is what an array's elements are: Debezium does not know a domain's
// base type there.
func (o TypeOptions) elementKind(elem *Column) (kind, error) {
	if elem.Type != nil && elem.Type.Base != nil {
		return o.unknownKind(elem)
	}
	return o.kindOf(elem)
}

func isNamed(col *Column, typeName string) bool { return col.Type != nil && col.Type.Name == typeName }

// truncatedTime reads a time with its microseconds cut to milliseconds, as the
// JDBC driver does inside arrays.
func truncatedTime(decode decodeFunc) decodeFunc {
	return func(text, buf []byte) (Value, []byte, error) {
		if dot := bytes.IndexByte(text, '.'); dot >= 0 && len(text) > dot+4 {
			text = text[:dot+4]
		}
		return decode(text, buf)
	}
}

// arrayReader reads PostgreSQL's text form of arrays.
type arrayReader struct {
	decode    decodeFunc // of an element
	delimiter byte       // between elements
	// nullAsWhole: with a null among its elements, the array itself becomes null.
	nullAsWhole bool
	// flat: there is no value for an array of arrays.
	flat bool
}

var errNotFlat = errors.New("the array has more than one dimension, which has no form in Kafka Connect (Debezium would send the address of a Java object)")

// decodeArray reads {a,"b c",NULL}. A subarray of a further dimension is null in
// Debezium, and so it is here. Of texts Debezium sends it as another text, which
// nobody can read: that is an error here.
func (a arrayReader) decodeArray(text, buf []byte) (Value, []byte, error) {
	v := Value{Type: TypeArray, Items: []Value{}}
	// Bounds other than 1 stand before the elements: [0:1]={1,2}
	if i := bytes.Index(text, []byte("]={")); i > 0 && text[0] == '[' {
		text = text[i+2:]
	}
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return Value{}, buf, errSyntax
	}
	rest := text[1 : len(text)-1]
	hasNull := false
	for len(rest) > 0 {
		var item Value
		var err error
		if item, rest, buf, err = a.element(rest, buf); err != nil {
			return Value{}, buf, err
		}
		hasNull = hasNull || item.IsNull()
		v.Items = append(v.Items, item)
		if len(rest) == 0 {
			break
		}
		if rest[0] != a.delimiter || len(rest) == 1 {
			return Value{}, buf, errSyntax
		}
		rest = rest[1:]
	}
	if hasNull && a.nullAsWhole {
		return Value{}, buf, nil
	}
	return v, buf, nil
}

// element reads the first element and returns what follows it.
func (a arrayReader) element(text, buf []byte) (v Value, rest, newBuf []byte, err error) {
	switch text[0] {
	case '{':
		end := subarrayEnd(text)
		switch {
		case end < 0:
			err = errSyntax
		case a.flat:
			err = errNotFlat
		}
		return Value{}, text[max(end, 0):], buf, err
	case '"':
		start := len(buf)
		buf, rest, ok := unquote(buf, text)
		if !ok {
			return Value{}, nil, buf, errSyntax
		}
		v, buf, err = a.decode(buf[start:], buf)
		return v, rest, buf, err
	}
	end := bytes.IndexByte(text, a.delimiter)
	if end < 0 {
		end = len(text)
	}
	if strings.EqualFold(string(text[:end]), "null") {
		return Value{}, text[end:], buf, nil
	}
	v, buf, err = a.decode(text[:end], buf)
	return v, text[end:], buf, err
}

// unquote appends the content of a leading "..." and returns what follows it.
func unquote(dst, text []byte) (out, rest []byte, ok bool) {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return dst, text[i+1:], true
		case '\\':
			if i++; i == len(text) {
				return dst, nil, false
			}
		}
		dst = append(dst, text[i])
	}
	return dst, nil, false
}

// subarrayEnd returns the length of the subarray that text begins with, or -1.
func subarrayEnd(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
