package options

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"strings"
)

// width is that of the narrowest terminal Usage is written for, in columns.
const width = 80

// Usage prints the examples, then all options by group with their defaults. It goes to stdout, where it can be
// searched and paged.
func (s *Set) Usage(w io.Writer) error {
	b := bufio.NewWriter(w)
	wrap(b, s.program.Summary, "")
	if len(s.program.Examples) > 0 {
		fmt.Fprint(b, "\nExamples:\n")
		for _, example := range s.program.Examples {
			fmt.Fprintf(b, "  %s\n", example)
		}
	}
	fmt.Fprintln(b)
	wrap(b, "Each option can be given on the command line, as environment variable ("+s.prefix+
		" and the name in capitals, _ for each . and -), or as name=value line in a -config file. "+
		"Command line beats environment beats file beats default.", "")
	for _, g := range s.inOrder() {
		g.usage(b)
	}
	if s.program.Footer != "" {
		fmt.Fprintf(b, "\n%s\n", strings.TrimRight(s.program.Footer, "\n"))
	}
	return b.Flush()
}

func (g *Group) usage(w io.Writer) {
	titled := false
	for _, o := range g.options {
		if o.hidden {
			continue
		}
		if !titled {
			fmt.Fprintf(w, "\n%s:\n", g.title)
			titled = true
		}
		o.usage(w)
	}
}

func (o *Option) usage(w io.Writer) {
	word, help := flag.UnquoteUsage(&flag.Flag{Usage: o.help})
	if !strings.Contains(o.help, "`") {
		word = o.word
	}
	if len(o.allowed) > 0 {
		word = strings.Join(o.allowed, "|")
	}
	head := o.head(word)
	if len(head) > width && len(o.allowed) > 0 { // a long choice goes into the text
		head, help = o.head(o.word), help+"; one of "+strings.Join(o.allowed, ", ")
	}
	fmt.Fprintln(w, head)
	wrap(w, help, "      ")
}

// head is the option's first line.
func (o *Option) head(word string) string {
	if word != "" {
		word = " " + word
	}
	return fmt.Sprintf("  -%s%s (%s)", o.name, word, o.defaultText())
}

// defaultText says what holds when the option is not given.
func (o *Option) defaultText() string {
	switch {
	case o.required && o.def == "":
		return "required"
	case o.def == "":
		return "no default"
	default:
		return "default " + o.show(o.def)
	}
}

// wrap prints words in lines of at most width columns. A single word that is longer gets a line of its own.
func wrap(w io.Writer, text, indent string) {
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
			fmt.Fprint(w, indent, word)
			column = len(indent) + len(word)
		case column+1+len(word) > width:
			fmt.Fprint(w, "\n", indent, word)
			column = len(indent) + len(word)
		default:
			fmt.Fprint(w, " ", word)
			column += 1 + len(word)
		}
	}
	if column > 0 {
		fmt.Fprintln(w)
	}
}
