package schema

import (
	"bytes"
	"fmt"
	"math/big"
	"strconv"
)

// numericKind is numeric under decimal.handling.mode. typmod holds precision and
// scale; without it every value brings its own scale.
func (o TypeOptions) numericKind(typmod int32) (kind, error) {
	switch o.DecimalHandling {
	case "", "precise":
	case "double":
		return kind{schema: Schema{Type: TypeFloat64}, decode: decodeFloat64}, nil
	case "string":
		return kind{schema: Schema{Type: TypeString}, decode: decodeDecimalString(typmod)}, nil
	default:
		return kind{}, fmt.Errorf("-decimal.handling.mode: %q is none of precise, double, string", o.DecimalHandling)
	}
	if typmod < 4 {
		// A default would be a struct, which Debezium does not put into a schema.
		return kind{schema: variableDecimal, decode: decodeVariableDecimal, noDefault: true}, nil
	}
	return decimalKind(precisionAndScale(typmod)), nil
}

// precisionAndScale reads a modifier. Debezium reads a negative scale as one that
// lacks its sign, so that numeric(5,-2) has the scale 2046.
func precisionAndScale(typmod int32) (precision, scale int) {
	return int(typmod-4) >> 16 & 0xFFFF, int(typmod-4) & 0x7FF
}

// decimalKind is Connect's Decimal; precision 0 is not written into the schema.
func decimalKind(precision, scale int) kind {
	s := named(TypeDecimal, nameDecimal)
	s.Params = []Param{{"scale", strconv.Itoa(scale)}}
	if precision > 0 {
		s.Params = append(s.Params, Param{"connect.decimal.precision", strconv.Itoa(precision)})
	}
	return kind{schema: s, decode: decodeDecimal(scale)}
}

// variableDecimal is Debezium's type for a decimal of no fixed scale.
var variableDecimal = Schema{
	Type: TypeStruct, Name: nameVariableDecimal, Version: 1, HasVersion: true, Doc: "Variable scaled decimal",
	Fields: []Field{
		{"scale", &Schema{Type: TypeInt32}},
		{"value", &Schema{Type: TypeBytes}},
	},
}

// decodeDecimal reads a numeric of a fixed scale. NaN and the infinities have no
// Decimal form: they read as null, as Debezium has them.
func decodeDecimal(scale int) decodeFunc {
	return func(text, buf []byte) (Value, []byte, error) {
		if special(text) {
			return Value{}, buf, nil
		}
		start := len(buf)
		buf, have, ok := appendDigits(buf, text)
		if !ok || have > scale {
			return Value{}, buf[:start], errSyntax
		}
		for ; have < scale; have++ {
			buf = append(buf, '0')
		}
		return Value{Type: TypeDecimal, Bytes: trimZeros(buf[start:]), Int: int64(scale)}, buf, nil
	}
}

// decodeVariableDecimal reads a numeric that brings its own scale, as the struct
// of scale and unscaled bytes. Trailing zeros go, down to a scale of 0.
func decodeVariableDecimal(text, buf []byte) (Value, []byte, error) {
	if special(text) {
		return Value{}, buf, nil
	}
	start := len(buf)
	buf, scale, ok := appendDigits(buf, text)
	if !ok {
		return Value{}, buf[:start], errSyntax
	}
	digits := trimZeros(buf[start:])
	for scale > 0 && len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		scale--
	}
	if string(digits) == "0" {
		scale = 0
	}
	start = len(buf)
	buf = appendUnscaled(buf, digits)
	return Value{Type: TypeStruct, Items: []Value{
		{Type: TypeInt32, Int: int64(scale)},
		{Type: TypeBytes, Bytes: buf[start:]},
	}}, buf, nil
}

// decodeDecimalString keeps PostgreSQL's digits, zeros included, and has
// Debezium's words for what is no number.
func decodeDecimalString(typmod int32) decodeFunc {
	least := 0 // digits behind the point
	if typmod >= 4 {
		_, least = precisionAndScale(typmod)
	}
	return func(text, buf []byte) (Value, []byte, error) {
		switch string(text) {
		case "NaN":
			text = []byte("NAN")
		case "Infinity":
			text = []byte("POSITIVE_INFINITY")
		case "-Infinity":
			text = []byte("NEGATIVE_INFINITY")
		default:
			text, buf = padScale(text, buf, least)
		}
		return Value{Type: TypeString, Bytes: text}, buf, nil
	}
}

// padScale appends the zeros that a number lacks behind its point. PostgreSQL
// prints them, unless the scale is negative.
func padScale(text, buf []byte, scale int) (padded, rest []byte) {
	have := 0
	point := bytes.IndexByte(text, '.')
	if point >= 0 {
		have = len(text) - point - 1
	}
	if have >= scale {
		return text, buf
	}
	start := len(buf)
	buf = append(buf, text...)
	if point < 0 {
		buf = append(buf, '.')
	}
	for ; have < scale; have++ {
		buf = append(buf, '0')
	}
	return buf[start:], buf
}

func special(text []byte) bool {
	return bytes.HasSuffix(text, []byte("Infinity")) || string(text) == "NaN"
}

// appendDigits appends a plain decimal number without its point and returns how
// many digits stood behind the point.
func appendDigits(dst, text []byte) (out []byte, scale int, ok bool) {
	point, digits := -1, 0
	for i, c := range text {
		switch {
		case c >= '0' && c <= '9':
			digits++
			dst = append(dst, c)
		case c == '-' && i == 0:
			dst = append(dst, c)
		case c == '.' && point < 0:
			point = i
		default:
			return dst, 0, false
		}
	}
	if point >= 0 {
		scale = len(text) - point - 1
	}
	return dst, scale, digits > 0
}

// trimZeros cuts leading zeros, and the sign of zero.
func trimZeros(digits []byte) []byte {
	neg := len(digits) > 0 && digits[0] == '-'
	body := digits
	if neg {
		body = digits[1:]
	}
	zeros := 0
	for zeros < len(body)-1 && body[zeros] == '0' {
		zeros++
	}
	body = body[zeros:]
	if !neg || string(body) == "0" {
		return body
	}
	// The sign moves up to the first digit; the slice is ours to write.
	digits = digits[zeros:]
	digits[0] = '-'
	return digits
}

// appendUnscaled appends an integer as Java's BigInteger.toByteArray has it:
// two's complement, big-endian, in the fewest bytes.
func appendUnscaled(dst, digits []byte) []byte {
	if n, ok := parseInt(digits); ok {
		size := 1
		for size < 8 && n>>(8*size-1) != 0 && n>>(8*size-1) != -1 {
			size++
		}
		for size--; size >= 0; size-- {
			dst = append(dst, byte(n>>(8*size)))
		}
		return dst
	}
	n, _ := new(big.Int).SetString(string(digits), 10)
	if n.Sign() >= 0 {
		b := n.Bytes()
		if b[0]&0x80 != 0 {
			dst = append(dst, 0)
		}
		return append(dst, b...)
	}
	// -n = ^(n-1): complement the bytes of |n|-1.
	b := n.Not(n).Bytes()
	if b[0]&0x80 != 0 {
		dst = append(dst, 0xFF)
	}
	for _, c := range b {
		dst = append(dst, ^c)
	}
	return dst
}

// appendBigDecimal writes digits*10^-scale as BigDecimal.toString does: plain,
// unless the scale is negative or more than five zeros would follow the point.
func appendBigDecimal(dst, digits []byte, scale int) []byte {
	if digits[0] == '-' {
		dst = append(dst, '-')
		digits = digits[1:]
	}
	if scale == 0 {
		return append(dst, digits...)
	}
	exp := len(digits) - 1 - scale
	if scale > 0 && exp >= -6 {
		return appendPlain(dst, digits, scale)
	}
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(append(dst, '.'), digits[1:]...)
	}
	if exp == 0 {
		return dst
	}
	dst = append(dst, 'E')
	if exp > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(exp), 10)
}

// appendPlain writes unsigned digits with the point scale places from the right.
func appendPlain(dst, digits []byte, scale int) []byte {
	whole := len(digits) - scale
	if whole > 0 {
		dst = append(dst, digits[:whole]...)
		return append(append(dst, '.'), digits[whole:]...)
	}
	dst = append(dst, "0."...)
	for ; whole < 0; whole++ {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}
