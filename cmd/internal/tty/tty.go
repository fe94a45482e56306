// Package tty tells terminals from files and pipes, and colors text for the former only.
package tty

import (
	"io"
	"os"

	"github.com/mattn/go-isatty"
)

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// Color reports whether to color what is written to w: it is a terminal that can, and NO_COLOR (no-color.org) is not
// set, or empty.
func Color(w io.Writer) bool {
	return Is(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Ink colors text, or leaves it as it is.
type Ink bool

// InkFor returns the ink for what is written to w.
func InkFor(w io.Writer) Ink { return Ink(Color(w)) }

// The escape sequences (ECMA-48, SGR) use the terminal's own palette, so that they fit light and dark ones.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	reset  = "\x1b[0m"
)

func (i Ink) paint(code, text string) string {
	if !i || text == "" {
		return text
	}
	return code + text + reset
}

// Bold makes text stand out.
func (i Ink) Bold(text string) string { return i.paint(bold, text) }

// Dim makes text step back.
func (i Ink) Dim(text string) string { return i.paint(dim, text) }

// Red is for what a person must act on.
func (i Ink) Red(text string) string { return i.paint(bold+red, text) }

// Green is for what goes well.
func (i Ink) Green(text string) string { return i.paint(green, text) }

// Yellow is for what may go wrong.
func (i Ink) Yellow(text string) string { return i.paint(yellow, text) }

// Cyan is for names.
func (i Ink) Cyan(text string) string { return i.paint(cyan, text) }
