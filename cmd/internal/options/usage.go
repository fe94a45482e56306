package options

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/outbox-relay/outbox-relay/cmd/internal/tty"
)

// width is that of the narrowest terminal Usage is written for, in columns.
const width = 80

// Usage prints all options by group with their defaults, then the examples: what a terminal shows at the end is what
// somebody new looks for first. It goes to stdout, where it can be searched and paged. On a terminal the titles and
// names stand out, unless NO_COLOR is set.
func (s *Set) Usage(w io.Writer) error {
	b := bufio.NewWriter(w)
	ink := tty.InkFor(w)
	wrap(b, s.program.Summary, "")
	fmt.Fprintln(b)
	wrap(b, s.sources(), "")
	for _, g := range s.inOrder() {
		g.usage(b, ink)
	}
	if len(s.program.Examples) > 0 {
		fmt.Fprintf(b, "\n%s\n", ink.Bold("Examples:"))
	}
	for i, text := range s.program.Examples {
		laidOut(text, width-2).usage(b, i > 0)
	}
	for p := range strings.SplitSeq(strings.TrimSpace(s.program.Footer), "\n\n") {
		if p != "" {
			fmt.Fprintln(b)
			wrap(b, p, "")
		}
	}
	return b.Flush()
}

// sources says where values come from.
func (s *Set) sources() string {
	return "Each option can be given on the command line, as environment variable (" + s.prefix +
		" and the name in capitals, _ for each . and -), or as name=value line in a -config file. " +
		"Command line beats environment beats file beats default."
}

// usage prints the example; one that says what it does stands apart from the one before.
func (e example) usage(w io.Writer, again bool) {
	if e.about != "" {
		if again {
			fmt.Fprintln(w)
		}
		wrap(w, "# "+e.about, "  ")
	}
	for _, line := range e.lines {
		fmt.Fprintf(w, "  %s\n", line)
	}
}

func (g *Group) usage(w io.Writer, ink tty.Ink) {
	titled := false
	for _, o := range g.options {
		if o.hidden {
			continue
		}
		if !titled {
			fmt.Fprintf(w, "\n%s\n", ink.Bold(g.title+":"))
			titled = true
		}
		o.usage(w, ink)
	}
}

func (o *Option) usage(w io.Writer, ink tty.Ink) {
	word, help := o.describe()
	if len(o.allowed) > 0 {
		word = strings.Join(o.allowed, "|")
	}
	head := o.head(word)
	if len(head) > width && len(o.allowed) > 0 { // a long choice goes into the text
		head, help = o.head(o.word), help+"; one of "+strings.Join(o.allowed, ", ")
	}
	name := "-" + o.name
	fmt.Fprintln(w, strings.Replace(head, name, ink.Cyan(name), 1))
	wrap(w, help, "      ")
}

// head is the option's first line.
func (o *Option) head(word string) string {
	if word != "" {
		word = " " + word
	}
	if o.onlyLine && len(o.allowed) == 0 { // it is given or not
		return fmt.Sprintf("  -%s%s", o.name, word)
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
