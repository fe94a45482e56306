package options

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"strings"
)

// shells are those that Completion knows.
var shells = []string{"bash", "zsh", "fish"}

// Completion prints a script that teaches a shell (bash, zsh or fish) the names of the options, the values of those
// that take one of a few, and which take the name of a file.
func (s *Set) Completion(w io.Writer, shell string) error {
	b := bufio.NewWriter(w)
	switch shell {
	case "bash":
		s.bash(b)
	case "zsh":
		s.zsh(b)
	case "fish":
		s.fish(b)
	default:
		return fmt.Errorf("no completion for the shell %q; there is one for %s", shell, strings.Join(shells, ", "))
	}
	return b.Flush()
}

// takes says what a shell may offer behind an option.
type takes int

const (
	takesNothing takes = iota // on or off
	takesChoice               // one of the allowed values
	takesFile
	takesText // anything
)

func (o *Option) takes() takes {
	word, _ := o.describe()
	switch {
	case len(o.allowed) > 0:
		return takesChoice
	case o.bool:
		return takesNothing
	case word == "file":
		return takesFile
	}
	return takesText
}

// describe returns what the value is called and the help without its quotes.
func (o *Option) describe() (word, help string) {
	word, help = flag.UnquoteUsage(&flag.Flag{Usage: o.help})
	if !strings.Contains(o.help, "`") {
		word = o.word
	}
	return word, help
}

// brief is the first part of the help, for a list beside other options.
func (o *Option) brief() string {
	_, help := o.describe()
	for _, end := range []string{"; ", ". ", ": "} {
		help, _, _ = strings.Cut(help, end)
	}
	return help
}

// visible is every option that is offered.
func (s *Set) visible() []*Option {
	var out []*Option
	for o := range s.each() {
		if !o.hidden {
			out = append(out, o)
		}
	}
	return out
}

// flags names the options of one sort as they are written on the command line.
func (s *Set) flags(t takes) []string {
	var out []string
	for _, o := range s.visible() {
		if o.takes() == t {
			out = append(out, "-"+o.name)
		}
	}
	return out
}

// function is a name for the script's function that every shell takes.
func (s *Set) function() string {
	return "_" + strings.ToLower(strings.TrimSuffix(s.prefix, "_"))
}
