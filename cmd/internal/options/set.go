// Package options reads a daemon's configuration and promises two things: whatever is wrong with it is reported
// in one go, and every effective value can say where it came from.
//
// Each option is declared once, with its group, default, help and rules. Its value may come from the command line
// (with the syntax of package flag: -x v, -x=v, --x), from the environment (OUTBOX_RELAY_SLOT_NAME for the option
// slot.name of outbox-relay), or from files named by -config. Command line beats environment beats file beats
// default. Package flag itself stops at the first error, so the splitting of arguments is done here.
package options

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrHelp is what Parse returns when -help or -h was given; the caller prints Usage to stdout and ends well.
	ErrHelp = errors.New("help requested")
	// ErrVersion is what Parse returns when -version was given.
	ErrVersion = errors.New("version requested")
)

// InfoError is what Parse returns when an option that was declared by Group.Info
// was given, or one that every program has for the same purpose (-completion,
// -print-man): the caller prints what it asks for and ends well. Set.Answer does
// so for the latter.
type InfoError struct {
	Name  string
	Value string // of an option that takes one
}

func (e *InfoError) Error() string { return e.Name + " requested" }

// Program is what Usage tells about the program besides its options.
type Program struct {
	Name    string // as typed; upper-cased it is also the prefix of the environment variables
	Summary string // one or two sentences
	// Examples are whole command lines. A first line that starts with # says what
	// the command does. Usage and the manual page break long ones before an option.
	Examples []string
	// Footer is what comes last: paragraphs, of which one that starts with
	// "Exit codes:" becomes a section of its own in the manual page.
	Footer string
}

// Set is all options of one program. Declare them through groups, then call Parse once. It is not safe for
// concurrent use.
type Set struct {
	program Program
	prefix  string
	groups  []*Group
	byName  map[string]*Option
	rules   []rule
	formats []Format

	importer Importer
	infos    []string // options that only ask for something to be printed

	configs []string // values of -config
	help    bool
	short   bool
	version bool
}

// rule is a condition over several options.
type rule struct {
	check func() error
	names []string
}

// New returns a set that already knows -config, -help, -h and -version.
func New(program Program) *Set {
	s := &Set{
		program: program,
		prefix:  variable(program.Name) + "_",
		byName:  map[string]*Option{},
		formats: []Format{Lines{}},
	}
	g := s.Group("This program")
	g.List(&s.configs, configName, nil, "read options from this `file` of name=value lines; may be given several "+
		"times, the later file wins")
	g.declarePrinted()
	g.Bool(&s.help, "help", false, "print this text and exit", commandLineOnly)
	g.Bool(&s.short, "h", false, "print this text and exit", commandLineOnly, Hidden())
	g.Bool(&s.version, "version", false, "print the version and exit", commandLineOnly)
	return s
}

// configName is the one option that is needed before the others can be read.
const configName = "config"

// Group returns the group with this title, which Usage prints above its options. Groups keep the order in which
// they were first asked for; "This program", which New makes, comes last.
func (s *Set) Group(title string) *Group {
	for _, g := range s.groups {
		if g.title == title {
			return g
		}
	}
	g := &Group{title: title, set: s}
	s.groups = append(s.groups, g)
	return g
}

// Rule adds a condition over several options, tested after all of them are set. It is left out when one of the
// named options has a mistake of its own, so that one typo does not give two reports. Errors
// put together by errors.Join are reported one by one.
func (s *Set) Rule(check func() error, names ...string) {
	s.rules = append(s.rules, rule{check, names})
}

// AddFormat makes Parse offer a -config file to this format before the ones it knows already.
func (s *Set) AddFormat(f Format) {
	s.formats = append([]Format{f}, s.formats...)
}

// Parse sets all destinations from args (without the program's name) and env (as os.Environ gives it). The error
// is ErrHelp, ErrVersion, or a *MistakesError with everything that is wrong. An environment variable that is
// empty counts as not set, because compose files and manifests often pass empty ones.
func (s *Set) Parse(args, env []string) error {
	line, lineMistakes := s.splitArgs(args)
	vars, varMistakes := s.readEnviron(env)
	if last(line, "help") || last(line, "h") {
		return ErrHelp
	}
	if last(line, "version") {
		return ErrVersion
	}
	if err := s.printed(line); err != nil {
		return err
	}
	files := s.readFiles(configPaths(line, vars))
	imported, fileMistakes := s.importAll(files.foreign, env, line, vars)
	fileMistakes = append(fileMistakes, files.mistakes...)

	// The weakest source first, so that a stronger one overwrites it; the report starts with the strongest.
	fileMistakes = append(fileMistakes, s.apply(imported)...)
	fileMistakes = append(fileMistakes, s.apply(files.out)...)
	varMistakes = append(varMistakes, s.apply(vars)...)
	lineMistakes = append(lineMistakes, s.apply(line)...)

	mistakes := append(append(lineMistakes, varMistakes...), fileMistakes...)
	if !files.unread { // what seems to be missing may be in the file that could not be read
		mistakes = append(mistakes, s.missing()...)
	}
	mistakes = append(mistakes, s.broken()...)
	if len(mistakes) > 0 {
		return &MistakesError{Program: s.program.Name, Mistakes: mistakes}
	}
	return nil
}

// apply stores assignments in order and returns what could not be stored.
func (s *Set) apply(as []assignment) []error {
	var mistakes []error
	for _, a := range as {
		if err := s.byName[a.name].assign(a); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", a.source.label(a.name), err))
		}
	}
	return mistakes
}

// missing returns a mistake for each required option that has no value.
func (s *Set) missing() []error {
	var mistakes []error
	for o := range s.each() {
		if o.required && !o.wrong && strings.TrimSpace(o.text) == "" {
			o.wrong = true // rules about it would say the same again
			mistakes = append(mistakes, &MissingError{Name: o.name, Variable: s.prefix + variable(o.name)})
		}
	}
	return mistakes
}

// broken returns a mistake for each rule that does not hold.
func (s *Set) broken() []error {
	var mistakes []error
	for _, r := range s.rules {
		if s.anyWrong(r.names) {
			continue
		}
		if err := r.check(); err != nil {
			mistakes = append(mistakes, apart(err)...)
		}
	}
	return mistakes
}

// apart returns the errors that errors.Join has put together, or err itself.
func apart(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(joined.Unwrap()...).Error() != err.Error() {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, apart(err)...)
	}
	return all
}

// anyWrong reports whether one of the named options had a mistake.
func (s *Set) anyWrong(names []string) bool {
	for _, name := range names {
		o := s.byName[name]
		if o == nil {
			panic("options: a rule names the unknown option " + name)
		}
		if o.wrong {
			return true
		}
	}
	return false
}

// each goes through all options in the order of Usage.
func (s *Set) each() func(yield func(*Option) bool) {
	return func(yield func(*Option) bool) {
		for _, g := range s.inOrder() {
			for _, o := range g.options {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// inOrder is the groups with the one that New made at the end.
func (s *Set) inOrder() []*Group {
	return append(append([]*Group{}, s.groups[1:]...), s.groups[0])
}
