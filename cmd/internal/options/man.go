package options

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Man prints the manual page in the man macros of roff, for section 8: man -l reads it, and a package installs it as
// NAME.8.
func (s *Set) Man(w io.Writer) error {
	b := bufio.NewWriter(w)
	name := s.program.Name
	fmt.Fprintf(b, ".TH %s 8 \"\" \"%s\" \"System Administration\"\n", roff(strings.ToUpper(name)), roff(name))
	fmt.Fprint(b, ".ad l\n.nh\n") // options are long words: justified lines would be full of holes
	fmt.Fprintf(b, ".SH NAME\n%s \\- %s\n", roff(name), roff(s.oneLine()))
	fmt.Fprintf(b, ".SH SYNOPSIS\n.B %s\n.RI [ option ...]\n", roff(name))
	paragraphs(b, "DESCRIPTION", s.program.Summary+"\n\n"+s.sources())
	fmt.Fprint(b, ".SH OPTIONS\n")
	for _, g := range s.inOrder() {
		g.man(b)
	}
	exit, notes := s.footer()
	paragraphs(b, "EXIT STATUS", exit)
	paragraphs(b, "NOTES", notes)
	if len(s.program.Examples) > 0 {
		fmt.Fprint(b, ".SH EXAMPLES\n")
	}
	for i, text := range s.program.Examples {
		laidOut(text, width-8).man(b, i > 0)
	}
	return b.Flush()
}

// paragraphs prints a section of text, none if there is no text.
func paragraphs(w io.Writer, title, text string) {
	for i, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		switch {
		case p == "":
			return
		case i == 0:
			fmt.Fprintf(w, ".SH %s\n", title)
		default:
			fmt.Fprint(w, ".PP\n")
		}
		prose(w, p)
	}
}

// footer takes the paragraph about exit codes apart from the others.
func (s *Set) footer() (exit, notes string) {
	for _, p := range strings.Split(strings.TrimSpace(s.program.Footer), "\n\n") {
		if rest, ok := strings.CutPrefix(p, "Exit codes:"); ok {
			exit = strings.TrimSpace(rest)
		} else {
			notes += p + "\n\n"
		}
	}
	return exit, notes
}

func (g *Group) man(w io.Writer) {
	titled := false
	for _, o := range g.options {
		if o.hidden {
			continue
		}
		if !titled {
			fmt.Fprintf(w, ".SS %s\n", roff(g.title))
			titled = true
		}
		o.man(w)
	}
}

func (o *Option) man(w io.Writer) {
	word, help := o.describe()
	if len(o.allowed) > 0 {
		word, help = o.word, help+"; one of "+strings.Join(o.allowed, ", ")
	}
	fmt.Fprintf(w, ".TP\n\\fB\\-%s\\fR", roff(o.name))
	if word != "" {
		fmt.Fprintf(w, " \\fI%s\\fR", roff(word))
	}
	if !o.onlyLine || len(o.allowed) > 0 {
		fmt.Fprintf(w, " (%s)", roff(o.defaultText()))
	}
	fmt.Fprintln(w)
	prose(w, help)
}

func (e example) man(w io.Writer, again bool) {
	if again {
		fmt.Fprint(w, ".PP\n")
	}
	if e.about != "" {
		fmt.Fprintf(w, "%s\n.PP\n", roff(e.about))
	}
	fmt.Fprint(w, ".RS 4\n.nf\n")
	for _, line := range e.lines {
		fmt.Fprintln(w, roff(line))
	}
	fmt.Fprint(w, ".fi\n.RE\n")
}

// oneLine is what apropos shows: the first sentence of the summary without the name, which stands before it.
func (s *Set) oneLine() string {
	text, _, _ := strings.Cut(s.program.Summary, ". ")
	text = strings.TrimPrefix(strings.TrimSuffix(text, "."), s.program.Name+" ")
	if text == "" {
		return s.program.Name
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// prose prints a paragraph in lines of a length that editors like.
func prose(w io.Writer, text string) {
	var b strings.Builder
	wrap(&b, text, "")
	fmt.Fprintln(w, roff(strings.TrimSuffix(b.String(), "\n")))
}

// roffText keeps characters with a meaning to roff from having it. A plain - would become a hyphen, which cannot be
// pasted into a shell.
var roffText = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`)

// roff escapes a text. A line that starts with a dot would be a request; what is not ASCII depends on the reader's
// locale unless it is named.
func roff(text string) string {
	var b strings.Builder
	lineStart := true
	for _, r := range roffText.Replace(text) {
		switch {
		case r == '.' && lineStart:
			b.WriteString(`\&.`)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
		lineStart = r == '\n'
	}
	return b.String()
}
