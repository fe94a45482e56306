package schema

import (
	"bytes"
	"strconv"
)

// moneyKind is money under decimal.handling.mode and money.fraction.digits.
func (o TypeOptions) moneyKind() (kind, error) {
	digits := o.MoneyFractionDigits
	switch o.DecimalHandling {
	case "double":
		return kind{schema: Schema{Type: TypeFloat64}, decode: decodeMoney(decodeFloat64)}, nil
	case "string":
		return kind{schema: Schema{Type: TypeString}, decode: decodeMoney(decodeString)}, nil
	}
	k := decimalKind(0, digits)
	k.decode = decodeMoney(func(plain, buf []byte) (Value, []byte, error) {
		return decodeRounded(plain, buf, digits)
	})
	return k, nil
}

// decodeMoney strips what lc_monetary=C, which the relay's session asks for,
// adds to the number: $1,234.56 and -$1.00.
func decodeMoney(number decodeFunc) decodeFunc {
	return func(text, buf []byte) (Value, []byte, error) {
		start := len(buf)
		if bytes.IndexByte(text, '-') >= 0 || bytes.IndexByte(text, '(') >= 0 {
			buf = append(buf, '-')
		}
		for _, c := range text {
			if c == '.' || c >= '0' && c <= '9' {
				buf = append(buf, c)
			}
		}
		return number(buf[start:], buf)
	}
}

// decodeRounded reads a number as a decimal of the given scale, half up.
func decodeRounded(plain, buf []byte, scale int) (Value, []byte, error) {
	start := len(buf)
	buf, have, ok := appendDigits(buf, plain)
	if !ok {
		return Value{}, buf[:start], errSyntax
	}
	if have <= scale {
		for ; have < scale; have++ {
			buf = append(buf, '0')
		}
		return Value{Type: TypeDecimal, Bytes: trimZeros(buf[start:]), Int: int64(scale)}, buf, nil
	}
	n, ok := parseInt(trimZeros(buf[start:])) // money is 64 bits wide
	if !ok {
		return Value{}, buf[:start], errSyntax
	}
	for ; have > scale; have-- {
		half := int64(5)
		if n < 0 {
			half = -5
		}
		if have > scale+1 { // only the last cut rounds
			half = 0
		}
		n = (n + half) / 10
	}
	buf = strconv.AppendInt(buf[:start], n, 10)
	return Value{Type: TypeDecimal, Bytes: buf[start:], Int: int64(scale)}, buf, nil
}
