package options

import (
	"errors"
	"fmt"
	"strings"
)

// MistakesError is everything that is wrong with a configuration.
type MistakesError struct {
	Program  string
	Mistakes []error
}

// Error lists the mistakes, one a line.
func (e *MistakesError) Error() string {
	var b strings.Builder
	noun := "mistakes"
	if len(e.Mistakes) == 1 {
		noun = "mistake"
	}
	fmt.Fprintf(&b, "%d %s in the configuration:\n", len(e.Mistakes), noun)
	for _, m := range e.Mistakes {
		fmt.Fprintf(&b, "  - %v\n", m)
	}
	fmt.Fprintf(&b, "run %s -help", e.Program)
	return b.String()
}

// Unwrap returns the single mistakes.
func (e *MistakesError) Unwrap() []error { return e.Mistakes }

// ExitCode is 2, the daemons' code for a configuration that cannot work.
func (e *MistakesError) ExitCode() int { return 2 }

// Missing reports whether nothing is wrong but that required options have no value.
func (e *MistakesError) Missing() bool {
	for _, m := range e.Mistakes {
		if missing := (*MissingError)(nil); !errors.As(m, &missing) {
			return false
		}
	}
	return true
}

// MissingError is a required option without a value.
type MissingError struct {
	Name     string
	Variable string // the environment variable that could set it
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("-%s is required (or %s, or %s= in a -config file)", e.Name, e.Variable, e.Name)
}

// unknown is the mistake for a name that no option has; what says what kind of name it is.
func (s *Set) unknown(what, name string, known []string) error {
	best := nearest(name, known)
	if best == "" {
		return fmt.Errorf("unknown %s%s", what, name)
	}
	if strings.HasSuffix(what, "-") {
		return fmt.Errorf("unknown %s%s; did you mean -%s?", what, name, best)
	}
	return fmt.Errorf("unknown %s%s; did you mean %s?", what, name, best)
}

// names returns the names that may be suggested.
func (s *Set) names() []string {
	var out []string
	for o := range s.each() {
		if !o.hidden {
			out = append(out, o.name)
		}
	}
	return out
}
