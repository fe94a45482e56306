package options

import (
	"errors"
	"fmt"
	"io"
)

const (
	completionName = "completion"
	manName        = "print-man"
)

// declarePrinted declares what every program prints about itself besides its help.
func (g *Group) declarePrinted() {
	g.InfoOf(completionName, "print the completion script of a `shell` and exit", shells...)
	g.Info(manName, "print the manual page and exit")
	g.declareReference()
}

// printed returns an *InfoError if the command line asks for something to be printed.
func (s *Set) printed(line []assignment) error {
	for _, name := range s.infos {
		if value, ok := s.byName[name].asked(line); ok {
			return &InfoError{Name: name, Value: value}
		}
	}
	return nil
}

// Answer prints to w what the error of Parse asks for: help, version, a completion script, the manual page
// or the reference. It reports false for every other error, nil among them, and then has printed nothing.
func (s *Set) Answer(w io.Writer, version string, err error) (answered bool, _ error) {
	var info *InfoError
	switch {
	case errors.Is(err, ErrHelp):
		return true, s.Usage(w)
	case errors.Is(err, ErrVersion):
		_, err := fmt.Fprintln(w, s.program.Name, version)
		return true, err
	case errors.As(err, &info) && info.Name == completionName:
		return true, s.Completion(w, info.Value)
	case errors.As(err, &info) && info.Name == manName:
		return true, s.Man(w)
	case errors.As(err, &info) && info.Name == referenceName:
		return true, s.Reference(w)
	}
	return false, nil
}
