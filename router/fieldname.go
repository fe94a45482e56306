package router

import (
	"fmt"
	"strings"
)

// fieldNamers are the modes of field.name.adjustment.mode; none has no function.
var fieldNamers = map[string]func(string) string{
	"avro":         avroName,
	"avro_unicode": avroUnicodeName,
}

// avroName replaces what a name in Avro cannot have by an underscore, and puts
// one before a digit that would begin it.
func avroName(name string) string {
	var b strings.Builder
	for i, c := range name {
		if i == 0 && c >= '0' && c <= '9' {
			b.WriteByte('_')
		}
		if isAvro(c) || c == '_' {
			b.WriteRune(c)
		} else {
			b.WriteByte('_')
		}
	}
	return b.String()
}

// avroUnicodeName writes such characters, and the underscore itself, as _uXXXX.
func avroUnicodeName(name string) string {
	var b strings.Builder
	for i, c := range name {
		if isAvro(c) && (i > 0 || c < '0' || c > '9') {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, "_u%04x", c)
		}
	}
	return b.String()
}

func isAvro(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
