package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

// show is -config.print: everything that is set, whatever it was set by, as one
// command line for a POSIX shell, with comments before it. A secret is not shown;
// its place is the environment, where ps does not see it. lacking are the required
// options that nothing sets; nil if there are none.
func (i *imported) show(w io.Writer, all []options.Setting, lacking *options.MistakesError) error {
	var set []options.Setting
	for _, s := range all {
		if s.Source.Kind != options.Default && !forPrinting[s.Name] {
			set = append(set, s)
		}
	}
	var b strings.Builder
	writeOrigins(&b, set)
	for _, notice := range i.result.Notices {
		comment(&b, "notice: "+notice)
	}
	for _, unknown := range i.result.Ignored {
		comment(&b, "ignored, as by Debezium: "+unknown.String())
	}
	if lacking != nil {
		for _, m := range lacking.Mistakes {
			comment(&b, "lacking: "+m.Error())
		}
	}
	writeCommand(&b, set)
	_, err := io.WriteString(w, b.String())
	return err
}

// forPrinting are the options that ask for the output, or were read for it.
var forPrinting = map[string]bool{"config": true, "config.print": true, "config.strict": true}

// writeOrigins says of each option where it came from.
func writeOrigins(b *strings.Builder, set []options.Setting) {
	width := 0
	for _, s := range set {
		width = max(width, len(s.Name))
	}
	for _, s := range set {
		text := fmt.Sprintf("%-*s  %s", width, s.Name, s.Source)
		if s.Hidden {
			text += "; hidden here: put its value in the place of ***"
		}
		comment(b, text)
	}
}

// writeCommand writes the command line: first the environment with what is
// secret, then the program, then the flags.
func writeCommand(b *strings.Builder, set []options.Setting) {
	for _, s := range set {
		if s.Hidden {
			fmt.Fprintf(b, "%s=%s \\\n", s.Variable, quoteShell(s.Value))
		}
	}
	b.WriteString(program)
	for _, s := range set {
		if !s.Hidden {
			fmt.Fprintf(b, " \\\n  %s", quoteShell("-"+s.Name+"="+s.Value))
		}
	}
	b.WriteString("\n")
}

// comment writes a line that a shell skips, whatever is in the text.
func comment(b *strings.Builder, text string) {
	b.WriteString("# " + oneLine.Replace(text) + "\n")
}

var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quoteShell puts quotes around a word that a shell would take apart.
func quoteShell(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
