package options

import (
	"strings"
)

// example is one of a program's examples, ready to be printed.
type example struct {
	about string   // what it does, "" if it does not say
	lines []string // of the command, all but the last with \ at the end
}

// laidOut breaks an example into lines of at most columns, before options.
func laidOut(text string, columns int) example {
	var e example
	if about, command, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(about, "#") {
		e.about, text = strings.TrimSpace(strings.TrimPrefix(about, "#")), command
	}
	line := ""
	for i, part := range strings.Split(text, " -") {
		switch {
		case i == 0:
			line = part
		case len(line)+len(" -")+len(part)+len(` \`) > columns:
			e.lines = append(e.lines, line+` \`)
			line = "  -" + part
		default:
			line += " -" + part
		}
	}
	e.lines = append(e.lines, line)
	return e
}
