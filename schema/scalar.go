package schema

import (
	"errors"
	"math"
	"strconv"
)

// errSyntax says that a value is not in the type's own text form. The value
// itself stays out of the message: it may be anybody's data.
var errSyntax = errors.New("the value is not in the text form that PostgreSQL prints")

func decodeString(text, buf []byte) (Value, []byte, error) {
	return Value{Type: TypeString, Bytes: text}, buf, nil
}

func decodeBool(text, buf []byte) (Value, []byte, error) {
	if len(text) == 1 && (text[0] == 't' || text[0] == 'f') {
		v := Value{Type: TypeBoolean}
		if text[0] == 't' {
			v.Int = 1
		}
		return v, buf, nil
	}
	return Value{}, buf, errSyntax
}

func decodeInt(t Type) decodeFunc {
	return func(text, buf []byte) (Value, []byte, error) {
		n, ok := parseInt(text)
		if !ok {
			return Value{}, buf, errSyntax
		}
		return Value{Type: t, Int: n}, buf, nil
	}
}

// parseInt reads a decimal int64 without the string that strconv wants.
func parseInt(text []byte) (int64, bool) {
	digits := text
	neg := len(text) > 0 && text[0] == '-'
	if neg {
		digits = text[1:]
	}
	if len(digits) == 0 || len(digits) > 19 {
		return 0, false
	}
	var n uint64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0') // 19 digits fit in 64 bits
	}
	if neg {
		return -int64(n), n <= 1<<63
	}
	return int64(n), n < 1<<63
}

func decodeFloat64(text, buf []byte) (Value, []byte, error) {
	return decodeFloat(TypeFloat64, 64, text, buf)
}

func decodeFloat32(text, buf []byte) (Value, []byte, error) {
	return decodeFloat(TypeFloat32, 32, text, buf)
}

// decodeFloat also takes PostgreSQL's Infinity, -Infinity and NaN, which are
// strconv's as well.
func decodeFloat(t Type, bits int, text, buf []byte) (Value, []byte, error) {
	f, err := strconv.ParseFloat(string(text), bits)
	if err != nil && !math.IsInf(f, 0) {
		return Value{}, buf, errSyntax
	}
	return Value{Type: t, Float: f}, buf, nil
}

// appendJavaFloat writes f as Double.toString (bits 64) or Float.toString (32)
// of Java 19 and later do: the shortest digits that read back as f, but at least
// two; plain from 0.001 up to 10,000,000, else with an exponent.
func appendJavaFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	if math.Signbit(f) {
		dst = append(dst, '-')
		f = -f
	}
	if f == 0 {
		return append(dst, "0.0"...)
	}
	var room [32]byte
	digits, exp := shortestDigits(room[:0], f, bits)
	return appendJavaDigits(dst, digits, exp)
}

// shortestDigits returns the digits d1 d2 d3 ... and the exponent of d1.
func shortestDigits(room []byte, f float64, bits int) (digits []byte, exp int) {
	e := strconv.AppendFloat(room, f, 'e', -1, bits)
	if e[1] == 'e' {
		// Where one digit would do, Java chooses the nearest number of two: the
		// smallest double is 4.9E-324, not 5.0E-324.
		e = strconv.AppendFloat(room, f, 'e', 1, bits)
	}
	mark := 1
	for e[mark] != 'e' {
		mark++
	}
	exp = int(e[mark+2]-'0')*10 + int(e[mark+3]-'0')
	if len(e) == mark+5 {
		exp = exp*10 + int(e[mark+4]-'0')
	}
	if e[mark+1] == '-' {
		exp = -exp
	}
	digits = append(e[:1], e[2:mark]...) // the point goes
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return digits, exp
}

func appendJavaDigits(dst, digits []byte, exp int) []byte {
	switch {
	case exp < -3 || exp >= 7:
		dst = append(dst, digits[0], '.')
		dst = appendOrZero(dst, digits[1:])
		dst = append(dst, 'E')
		return strconv.AppendInt(dst, int64(exp), 10)
	case exp < 0:
		dst = append(dst, "0."...)
		for ; exp < -1; exp++ {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	for i := 0; i <= exp; i++ {
		if i < len(digits) {
			dst = append(dst, digits[i])
		} else {
			dst = append(dst, '0')
		}
	}
	dst = append(dst, '.')
	return appendOrZero(dst, digits[min(exp+1, len(digits)):])
}

// appendOrZero writes the digits of a fraction, which has at least one.
func appendOrZero(dst, digits []byte) []byte {
	if len(digits) == 0 {
		return append(dst, '0')
	}
	return append(dst, digits...)
}
