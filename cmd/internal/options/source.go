package options

import (
	"fmt"
	"strings"
)

// Kind says what kind of place a value came from.
type Kind int

// The places, from the weakest to the strongest.
const (
	Default Kind = iota
	File
	Environment
	Flag
)

// Source says where the value of an option came from.
type Source struct {
	Kind  Kind
	Where string // name of the environment variable, or path of the file
	Line  int    // of the file, from 1; 0 if the format has no lines
	Key   string // what the file calls the option, if it has another name for it
}

// String is default, flag, environment variable NAME, or file:line, with the key behind it if there is one.
func (s Source) String() string {
	switch s.Kind {
	case Flag:
		return "flag"
	case Environment:
		return "environment variable " + s.Where
	case File:
		return strings.TrimSpace(s.position() + " " + s.Key)
	default:
		return "default"
	}
}

// label is how a mistake in the option's value starts.
func (s Source) label(name string) string {
	switch s.Kind {
	case Environment:
		return s.String()
	case File:
		return s.position() + ": " + name
	default:
		return "-" + name
	}
}

func (s Source) position() string {
	if s.Line == 0 {
		return s.Where
	}
	return fmt.Sprintf("%s:%d", s.Where, s.Line)
}

// Setting is the effective value of one option.
type Setting struct {
	Name     string
	Value    string // as it was written, secrets hidden
	Hidden   bool   // a secret is hidden in the value
	Source   Source
	Variable string // the environment variable that sets the option
}

// Source returns where the effective value of an option came from. It panics for a name that was not declared.
func (s *Set) Source(name string) Source {
	o := s.byName[name]
	if o == nil {
		panic("options: source of the unknown option " + name)
	}
	return o.source
}

// Effective returns all options with their values, in the order of Usage, secrets hidden. The ones that only make
// sense on the command line (-help, -version) are left out.
func (s *Set) Effective() []Setting {
	var out []Setting
	for o := range s.each() {
		if !o.onlyLine {
			shown := o.show(o.text)
			out = append(out, Setting{Name: o.name, Value: shown, Hidden: shown != o.text, Source: o.source, Variable: s.prefix + variable(o.name)})
		}
	}
	return out
}
