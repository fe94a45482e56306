package options

import (
	"fmt"
	"strings"
)

// splitArgs turns a command line into assignments with the syntax of package flag, but goes on after a mistake.
func (s *Set) splitArgs(args []string) ([]assignment, []error) {
	var out []assignment
	var mistakes []error
	for i := 0; i < len(args); i++ {
		name, text, hasText := cutArg(args[i])
		if name == "" {
			mistakes = append(mistakes, s.positional(args, i))
			continue
		}
		o := s.byName[name]
		if o == nil {
			mistakes = append(mistakes, s.unknown("option -", name, s.names()))
			if !hasText && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++ // most likely the value of the option that we do not know
			}
			continue
		}
		if !hasText {
			switch {
			case o.bool && len(o.allowed) > 0 && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"): // InfoOf
				i++
				text = args[i]
			case o.bool:
				text = "true"
			case i+1 < len(args):
				i++
				text = args[i]
			default:
				o.wrong = true
				mistakes = append(mistakes, fmt.Errorf("-%s: a value is missing behind it", name))
				continue
			}
		}
		out = append(out, assignment{name, text, Source{Kind: Flag}})
	}
	return out, mistakes
}

// cutArg splits -name, --name, -name=text. The name is empty for anything else.
func cutArg(arg string) (name, text string, hasText bool) {
	rest, ok := strings.CutPrefix(arg, "-")
	if !ok {
		return "", "", false
	}
	rest = strings.TrimPrefix(rest, "-")
	if strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "=") {
		return "", "", false
	}
	return strings.Cut(rest, "=")
}

// positional is the mistake for an argument that is no option. The argument itself is not shown, because it may
// be a connection string or a password, except where it is the value of a bool option written apart.
func (s *Set) positional(args []string, i int) error {
	if i > 0 {
		name, _, hasText := cutArg(args[i-1])
		o := s.byName[name]
		if _, err := parseBool(args[i]); err == nil && o != nil && o.bool && !hasText {
			return fmt.Errorf("unexpected argument %q; write -%s=%s", args[i], name, args[i])
		}
	}
	return fmt.Errorf("argument %d is not an option; options start with - and nothing else is taken", i+1)
}
