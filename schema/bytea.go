package schema

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
)

// bytesKind is bytea.
func (o TypeOptions) bytesKind() (kind, error) { return o.binaryKind(decodeBytea) }

// binaryKind is bytes, as decode reads them, under binary.handling.mode.
func (o TypeOptions) binaryKind(decode decodeFunc) (kind, error) {
	k := kind{schema: Schema{Type: TypeString}, noDefault: true}
	switch o.BinaryHandling {
	case "", "bytes":
		k.schema.Type = TypeBytes
		k.decode = decode
	case "base64":
		k.decode = encoded(decode, base64.StdEncoding.AppendEncode)
	case "base64-url-safe":
		k.decode = encoded(decode, base64.URLEncoding.AppendEncode)
	case "hex":
		k.decode = encoded(decode, hex.AppendEncode)
	default:
		return kind{}, fmt.Errorf("-binary.handling.mode: %q is none of bytes, base64, base64-url-safe, hex", o.BinaryHandling)
	}
	return k, nil
}

// decodeBytea reads both of bytea's text forms: hex, which the relay's session
// asks for, and escape, which a catalog default may be in.
func decodeBytea(text, buf []byte) (Value, []byte, error) {
	start := len(buf)
	var err error
	if len(text) >= 2 && text[0] == '\\' && text[1] == 'x' {
		buf, err = hex.AppendDecode(buf, text[2:])
	} else {
		buf, err = unescapeBytea(buf, text)
	}
	if err != nil {
		return Value{}, buf[:start], errSyntax
	}
	// An empty value is not null: keep it from being a nil slice.
	if buf == nil {
		buf = []byte{}
	}
	return Value{Type: TypeBytes, Bytes: buf[start:]}, buf, nil
}

// unescapeBytea reads bytea_output=escape: \\ is a backslash, \ooo an octet.
func unescapeBytea(dst, text []byte) ([]byte, error) {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			dst = append(dst, text[i])
			continue
		}
		if i+1 < len(text) && text[i+1] == '\\' {
			dst = append(dst, '\\')
			i++
			continue
		}
		if i+3 >= len(text) {
			return dst, errSyntax
		}
		var b int
		for _, c := range text[i+1 : i+4] {
			if c < '0' || c > '7' {
				return dst, errSyntax
			}
			b = b<<3 | int(c-'0')
		}
		dst = append(dst, byte(b))
		i += 3
	}
	return dst, nil
}

// encoded makes a string of the bytes that decode reads.
func encoded(decode decodeFunc, encode func(dst, src []byte) []byte) decodeFunc {
	return func(text, buf []byte) (Value, []byte, error) {
		raw, buf, err := decode(text, buf)
		if err != nil {
			return Value{}, buf, err
		}
		start := len(buf)
		buf = encode(buf, raw.Bytes)
		return Value{Type: TypeString, Bytes: buf[start:]}, buf, nil
	}
}
