package procs

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Match reports whether a line is the one waited for.
type Match func(line string) bool

// Contains matches lines with the text in them.
func Contains(text string) Match {
	return func(line string) bool { return strings.Contains(line, text) }
}

// Regexp matches lines in which the pattern is found.
func Regexp(pattern *regexp.Regexp) Match { return pattern.MatchString }

// Field matches lines that are JSON objects in which the named member has the value; a value that is no string is
// compared by its JSON text.
func Field(name, value string) Match {
	return func(line string) bool {
		got, ok := LineField(line, name)
		return ok && got == value
	}
}

// All matches lines that every one of the given matches.
func All(matches ...Match) Match {
	return func(line string) bool {
		for _, m := range matches {
			if !m(line) {
				return false
			}
		}
		return true
	}
}

// LineField returns a member of a line that is a JSON object: the string itself, or the JSON text of another value.
func LineField(line, name string) (string, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(line), &members) != nil {
		return "", false
	}
	raw, ok := members[name]
	if !ok {
		return "", false
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, true
	}
	return string(raw), true
}
