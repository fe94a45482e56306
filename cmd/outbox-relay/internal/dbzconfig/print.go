package dbzconfig

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Print writes the flags as one command line for a POSIX shell. A comment before it says for each flag where its value
// comes from. Secrets are shown as ***, so those must be put in.
func Print(w io.Writer, flags []Flag) error {
	width := 0
	for _, f := range flags {
		width = max(width, len(f.Name))
	}
	var b strings.Builder
	for _, f := range flags {
		fmt.Fprintf(&b, "# %-*s  %s\n", width, f.Name, f.origin())
	}
	b.WriteString(Program)
	for _, f := range flags {
		fmt.Fprintf(&b, " \\\n  %s", quoteShell("-"+f.Name+"="+f.Shown()))
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// origin is the source, and what is wrong with a value that could not be resolved.
func (f Flag) origin() string {
	if f.Unresolved != nil {
		return f.Source.String() + ": " + f.Unresolved.Error()
	}
	return f.Source.String()
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quoteShell puts quotes around a word that a shell would take apart.
func quoteShell(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
