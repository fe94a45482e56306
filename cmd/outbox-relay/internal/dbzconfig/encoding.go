package dbzconfig

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// decoded returns the content without its byte order mark, and as UTF-8 if the mark tells that it is UTF-16, as what
// PowerShell redirects into a file is.
func decoded(content []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(content, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(content, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(content, []byte("\ufeff"))
	}
	units := make([]uint16, 0, len(content)/2)
	for rest := content[2:]; len(rest) > 1; rest = rest[2:] {
		units = append(units, order.Uint16(rest))
	}
	var out []byte
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	return out
}

// decodeText returns the content as UTF-8, or if it is none as ISO 8859-1.
func decodeText(content []byte) string {
	if utf8.Valid(content) {
		return string(content)
	}
	return latin1(content)
}

// latin1 is what Java's Properties.load reads from a stream: each byte is a letter.
func latin1(content []byte) string {
	runes := make([]rune, len(content))
	for i, b := range content {
		runes[i] = rune(b)
	}
	return string(runes)
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
