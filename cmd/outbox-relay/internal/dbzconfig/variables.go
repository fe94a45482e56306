package dbzconfig

import (
	"regexp"
	"strings"
)

// variableLine is a line of a file of variables, as docker --env-file, compose's .env and shells read it.
// A name alone is a variable of the environment that Docker passes on.
var variableLine = regexp.MustCompile(`^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)(=.*)?$`)

// isVariables reports whether a file holds variables of Debezium Server.
func isVariables(content []byte) bool {
	found := false
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		m := variableLine.FindStringSubmatch(line)
		if m == nil {
			return false
		}
		found = found || m[2] != "" && serverVariable.MatchString(strings.TrimPrefix(m[1], productionMark))
	}
	return found
}

// variables reads such a file. Quotes around a value are the shell's, though docker --env-file would leave them: no
// option has any use for them. Dollars are left for the placeholders, as Docker leaves them.
func (r *reader) variables(content []byte) {
	d := document{form: serverForm, variables: map[string]string{}}
	n := 0
	for line := range strings.Lines(decodeText(content)) {
		n++
		m := variableLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil || m[2] == "" { // a comment, or what the environment itself says
			continue
		}
		value, quoted := unquoted(m[2][1:])
		name, production := strings.CutPrefix(m[1], productionMark)
		if !serverVariable.MatchString(name) {
			d.variables[m[1]] = value
			continue
		}
		at := Source{Place: r.file, Line: n, Key: m[1]}
		if quoted {
			r.notices = append(r.notices, notice{at, "the quotes around the value are taken for the shell's; docker --env-file would make them part of it"})
		}
		key := propertyName(name)
		if production {
			key = "%prod." + key
		}
		d.add(setting{key: key, value: value, src: at})
	}
	r.docs = append(r.docs, d)
}

// unquoted takes away quotes that stand around the whole value.
func unquoted(text string) (value string, quoted bool) {
	if trimmed := strings.TrimSpace(text); len(trimmed) > 1 {
		if q := trimmed[0]; (q == '"' || q == '\'') && trimmed[len(trimmed)-1] == q {
			return trimmed[1 : len(trimmed)-1], true
		}
	}
	return text, false
}
