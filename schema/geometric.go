package schema

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
)

// pointSchema is Debezium's struct for a point.
var pointSchema = Schema{
	Type: TypeStruct, Name: namePoint, Version: 1, HasVersion: true, Doc: "Geometry (POINT)",
	Fields: []Field{
		{"x", &Schema{Type: TypeFloat64}},
		{"y", &Schema{Type: TypeFloat64}},
		{"wkb", &Schema{Type: TypeBytes, Optional: true}},
		{"srid", &Schema{Type: TypeInt32, Optional: true}},
	},
}

// decodePoint reads (x,y). The third field is the point in the well-known binary
// format: byte order, type 1, and the coordinates.
func decodePoint(text, buf []byte) (Value, []byte, error) {
	inner, opened := bytes.CutPrefix(text, []byte("("))
	inner, closed := bytes.CutSuffix(inner, []byte(")"))
	left, right, comma := bytes.Cut(inner, []byte(","))
	x, errX := strconv.ParseFloat(string(left), 64)
	y, errY := strconv.ParseFloat(string(right), 64)
	if !opened || !closed || !comma || errX != nil || errY != nil {
		return Value{}, buf, errSyntax
	}
	start := len(buf)
	buf = append(buf, 1, 1, 0, 0, 0)
	buf = binary.LittleEndian.AppendUint64(buf, javaBits(x))
	buf = binary.LittleEndian.AppendUint64(buf, javaBits(y))
	return Value{Type: TypeStruct, Items: []Value{
		{Type: TypeFloat64, Float: x},
		{Type: TypeFloat64, Float: y},
		{Type: TypeBytes, Bytes: buf[start:]},
		{},
	}}, buf, nil
}

// javaBits is Double.doubleToLongBits: one NaN stands for all of them.
func javaBits(f float64) uint64 {
	if math.IsNaN(f) {
		return 0x7FF8000000000000
	}
	return math.Float64bits(f)
}

// geometric are the types whose numbers Debezium prints anew, as Java prints
// doubles, when it sends them as unknown.
var geometric = map[uint32]bool{601: true, 602: true, oidBox: true, 604: true, 628: true, 718: true}

// decodeUnknown sends the text itself as bytes.
func decodeUnknown(text, buf []byte) (Value, []byte, error) {
	return Value{Type: TypeBytes, Bytes: text}, buf, nil
}

// decodeGeometric replaces each number in the text.
func decodeGeometric(text, buf []byte) (Value, []byte, error) {
	start := len(buf)
	for len(text) > 0 {
		n := bytes.IndexAny(text, "()[]{}<>,")
		if n == 0 {
			buf = append(buf, text[0])
			text = text[1:]
			continue
		}
		if n < 0 {
			n = len(text)
		}
		f, err := strconv.ParseFloat(string(text[:n]), 64)
		if err != nil {
			return Value{}, buf[:start], errSyntax
		}
		buf = appendJavaFloat(buf, f, 64)
		text = text[n:]
	}
	return Value{Type: TypeBytes, Bytes: buf[start:]}, buf, nil
}
