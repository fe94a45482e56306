package logging

import (
	"fmt"
	"io"
	"strings"

	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/cmd/internal/tty"
)

// console writes lines for people: time, level, message, then the fields, the error first. Without color the level
// is in capitals, so that it can still be found by eye.
func console(w io.Writer) io.Writer {
	ink := tty.InkFor(w)
	return zerolog.ConsoleWriter{
		Out:                 w,
		NoColor:             true, // ours are chosen below
		FormatTimestamp:     func(v any) string { return ink.Dim(fmt.Sprint(v)) },
		FormatLevel:         func(v any) string { return level(ink, fmt.Sprint(v)) },
		FormatMessage:       func(v any) string { return ink.Bold(fmt.Sprint(v)) },
		FormatFieldName:     func(v any) string { return ink.Dim(fmt.Sprint(v) + "=") },
		FormatErrFieldName:  func(v any) string { return ink.Dim(fmt.Sprint(v) + "=") },
		FormatErrFieldValue: func(v any) string { return ink.Red(fmt.Sprint(v)) },
	}
}

// level is five columns wide.
func level(ink tty.Ink, name string) string {
	word := fmt.Sprintf("%-5s", name)
	switch name {
	case "error", "fatal", "panic":
		return paint(ink, ink.Red, word)
	case "warn":
		return paint(ink, ink.Yellow, word)
	case "info":
		return paint(ink, ink.Green, word)
	}
	return paint(ink, ink.Dim, word)
}

func paint(ink tty.Ink, color func(string) string, word string) string {
	if !ink {
		return strings.ToUpper(word)
	}
	return color(word)
}
