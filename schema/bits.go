package schema

import "strconv"

// bitsKind is bit(n) or varbit(n): a boolean for a single bit, else bytes.
func bitsKind(typmod int32) kind {
	if typmod == 1 {
		return kind{schema: Schema{Type: TypeBoolean}, decode: decodeBit}
	}
	length := int64(1<<31 - 1) // varbit without a length
	if typmod > 0 {
		length = int64(typmod)
	}
	s := named(TypeBytes, nameBits)
	s.Params = []Param{{"length", strconv.FormatInt(length, 10)}}
	return kind{schema: s, decode: decodeBits}
}

func decodeBit(text, buf []byte) (Value, []byte, error) {
	if len(text) != 1 || text[0] != '0' && text[0] != '1' {
		return Value{}, buf, errSyntax
	}
	return Value{Type: TypeBoolean, Int: int64(text[0] - '0')}, buf, nil
}

// decodeBits packs the bits with the last one lowest, the lowest byte first, and
// without the bytes of zeros that would end them.
func decodeBits(text, buf []byte) (Value, []byte, error) {
	start, used := len(buf), 0
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] != '0' && text[i] != '1' {
			return Value{}, buf[:start], errSyntax
		}
		at := len(text) - 1 - i
		if at%8 == 0 {
			buf = append(buf, 0)
		}
		if text[i] == '1' {
			buf[len(buf)-1] |= 1 << (at % 8)
			used = at/8 + 1
		}
	}
	buf = buf[:start+used]
	return Value{Type: TypeBytes, Bytes: notNil(buf[start:])}, buf, nil
}
