package schema

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// jsonFormat holds the settings of a JsonConverter that change its payload.
type jsonFormat struct {
	numericDecimals bool // decimal.format=NUMERIC
}

// appendValue writes a value as Connect's JsonConverter does. s may be nil for a
// value without a schema.
func (f jsonFormat) appendValue(dst []byte, s *Schema, v Value) ([]byte, error) {
	switch v.Type {
	case TypeNull:
		if s != nil && !s.Optional {
			return dst, errors.New("null stands where a value is required")
		}
		return append(dst, "null"...), nil
	case TypeString:
		return appendJSONString(dst, v.Bytes), nil
	case TypeBytes:
		return appendBase64(dst, v.Bytes), nil
	case TypeDecimal:
		return f.appendDecimal(dst, v), nil
	case TypeFloat32, TypeFloat64:
		return appendJSONFloat(dst, v), nil
	case TypeArray:
		return f.appendArray(dst, s, v)
	case TypeMap:
		return f.appendMap(dst, s, v)
	case TypeStruct:
		return f.appendStruct(dst, s, v)
	default:
		return scalarText(dst, v), nil
	}
}

func (f jsonFormat) appendArray(dst []byte, s *Schema, v Value) ([]byte, error) {
	var err error
	dst = append(dst, '[')
	for i := range v.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = f.appendValue(dst, s.Items, v.Items[i]); err != nil {
			return dst, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return append(dst, ']'), nil
}

// appendMap writes a map whose keys are strings, the only ones there are, as an
// object.
func (f jsonFormat) appendMap(dst []byte, s *Schema, v Value) ([]byte, error) {
	var err error
	dst = append(dst, '{')
	for i := 0; i+1 < len(v.Items); i += 2 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSONString(dst, v.Items[i].Bytes), ':')
		if dst, err = f.appendValue(dst, s.Items, v.Items[i+1]); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func (f jsonFormat) appendStruct(dst []byte, s *Schema, v Value) ([]byte, error) {
	var err error
	dst = append(dst, '{')
	for i := range s.Fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSONText(dst, s.Fields[i].Name), ':')
		if dst, err = f.appendValue(dst, s.Fields[i].Schema, v.Items[i]); err != nil {
			return dst, fmt.Errorf("field %q: %w", s.Fields[i].Name, err)
		}
	}
	return append(dst, '}'), nil
}

func (f jsonFormat) appendDecimal(dst []byte, v Value) []byte {
	if f.numericDecimals {
		return appendBigDecimal(dst, v.Bytes, int(v.Int))
	}
	var room [24]byte
	return appendBase64(dst, appendUnscaled(room[:0], v.Bytes))
}

// appendJSONFloat writes what JSON has no number for as a string.
func appendJSONFloat(dst []byte, v Value) []byte {
	if !math.IsNaN(v.Float) && !math.IsInf(v.Float, 0) {
		return scalarText(dst, v)
	}
	return append(scalarText(append(dst, '"'), v), '"')
}

func appendBase64(dst, b []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"')
}

// appendJSONText is appendJSONString for a Go string.
func appendJSONText(dst []byte, s string) []byte { return appendJSONString(dst, []byte(s)) }

const hexDigits = "0123456789ABCDEF"

// appendJSONString quotes text as Jackson's UTF-8 generator does: the two
// escapes that JSON demands, control characters (in upper-case hexadecimal if
// they have no letter), and characters beyond U+FFFF as two escapes; everything
// else stays as it is.
func appendJSONString(dst, text []byte) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < 0xF0 && c != 0xED {
			continue
		}
		width := 1
		switch {
		case c >= 0xF0 && i+3 < len(text):
			width = 4
		case c == 0xED && i+2 < len(text) && text[i+1] >= 0xA0:
			width = 3 // half of a surrogate pair, which only an expanded \uD800 leaves
		case c >= 0x80:
			continue
		}
		dst = append(dst, text[start:i]...)
		dst = appendEscape(dst, text[i:i+width])
		i += width - 1
		start = i + 1
	}
	dst = append(dst, text[start:]...)
	return append(dst, '"')
}

// appendEscape writes the escape of one character, given in UTF-8.
func appendEscape(dst, char []byte) []byte {
	switch len(char) {
	case 4:
		r := rune(char[0]&7)<<18 | rune(char[1]&0x3F)<<12 | rune(char[2]&0x3F)<<6 | rune(char[3]&0x3F)
		r -= 0x10000
		dst = appendUnicodeEscape(dst, 0xD800+r>>10)
		return appendUnicodeEscape(dst, 0xDC00+r&0x3FF)
	case 3:
		return appendUnicodeEscape(dst, rune(char[0]&0xF)<<12|rune(char[1]&0x3F)<<6|rune(char[2]&0x3F))
	}
	switch c := char[0]; c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\t':
		return append(dst, `\t`...)
	case '\n':
		return append(dst, `\n`...)
	case '\f':
		return append(dst, `\f`...)
	case '\r':
		return append(dst, `\r`...)
	default:
		return appendUnicodeEscape(dst, rune(c))
	}
}

func appendUnicodeEscape(dst []byte, c rune) []byte {
	return append(dst, '\\', 'u', hexDigits[c>>12&15], hexDigits[c>>8&15], hexDigits[c>>4&15], hexDigits[c&15])
}

// appendSchema writes a schema as JsonConverter does. field is the member's name
// inside a struct; nil anywhere else.
func (f jsonFormat) appendSchema(dst []byte, s *Schema, field *string) []byte {
	if s == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, `{"type":"`...)
	dst = append(append(dst, s.Type.String()...), '"')
	switch s.Type {
	case TypeArray:
		dst = f.appendSchema(append(dst, `,"items":`...), s.Items, nil)
	case TypeMap:
		dst = f.appendSchema(append(dst, `,"keys":`...), s.Keys, nil)
		dst = f.appendSchema(append(dst, `,"values":`...), s.Items, nil)
	case TypeStruct:
		dst = append(dst, `,"fields":[`...)
		for i := range s.Fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = f.appendSchema(dst, s.Fields[i].Schema, &s.Fields[i].Name)
		}
		dst = append(dst, ']')
	}
	dst = strconv.AppendBool(append(dst, `,"optional":`...), s.Optional)
	dst = f.appendAttributes(dst, s)
	if field != nil {
		dst = appendJSONText(append(dst, `,"field":`...), *field)
	}
	return append(dst, '}')
}

// appendAttributes writes what a schema may have beyond type and optionality.
func (f jsonFormat) appendAttributes(dst []byte, s *Schema) []byte {
	if s.Name != "" {
		dst = appendJSONText(append(dst, `,"name":`...), s.Name)
	}
	if s.HasVersion {
		dst = strconv.AppendInt(append(dst, `,"version":`...), int64(s.Version), 10)
	}
	if s.Doc != "" {
		dst = appendJSONText(append(dst, `,"doc":`...), s.Doc)
	}
	for i, p := range s.Params {
		if i == 0 {
			dst = append(dst, `,"parameters":{`...)
		} else {
			dst = append(dst, ',')
		}
		dst = append(appendJSONText(dst, p.Key), ':')
		dst = appendJSONText(dst, p.Value)
		if i == len(s.Params)-1 {
			dst = append(dst, '}')
		}
	}
	if s.Default != nil {
		dst, _ = f.appendValue(append(dst, `,"default":`...), s, *s.Default) // not null, so no error
	}
	return dst
}
