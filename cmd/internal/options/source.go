package options

import "fmt"

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
}

// String is default, flag, environment variable NAME, or file:line.
func (s Source) String() string {
	switch s.Kind {
	case Flag:
		return "flag"
	case Environment:
		return "environment variable " + s.Where
	case File:
		return s.position()
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
	Name   string
	Value  string // as it was written, secrets hidden
	Source Source
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
			out = append(out, Setting{Name: o.name, Value: o.show(o.text), Source: o.source})
		}
	}
	return out
}
