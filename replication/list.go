package replication

import (
	"errors"
	"strings"

	"github.com/outbox-relay/outbox-relay/schema/javaregex"
)

// List is what Debezium's include and exclude lists hold: Java regular
// expressions, separated by commas, each of which must match the whole of a
// dotted name, whatever the case of its letters. A backslash before a comma
// keeps it in the expression; a dot without one stands for any character.
type List struct {
	text     string
	patterns []*javaregex.Regexp
}

// ParseList reads a list. Its errors name the expression.
func ParseList(text string) (List, error) {
	l := List{text: text}
	parts, err := splitList(text)
	if err != nil {
		return List{}, err
	}
	for _, part := range parts {
		re, err := javaregex.CompileFold(part)
		if err != nil {
			return List{}, err
		}
		l.patterns = append(l.patterns, re)
	}
	return l, nil
}

// splitList splits at commas that no backslash escapes, as Debezium's
// RegExSplitter does, and drops empty parts.
func splitList(list string) ([]string, error) {
	var parts []string
	start := 0
	cut := func(end int) {
		part := strings.TrimSpace(strings.ReplaceAll(list[start:end], `\,`, ","))
		if part != "" {
			parts = append(parts, part)
		}
		start = end + 1
	}
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '\\':
			if i++; i == len(list) {
				return nil, errors.New("a backslash ends the list")
			}
		case ',':
			cut(i)
		}
	}
	cut(len(list))
	return parts, nil
}

// Match reports whether an expression matches the name.
func (l List) Match(name string) bool {
	for _, re := range l.patterns {
		// Matching fails only when a limit of time is set, and none is.
		if ok, err := re.Matches(name); ok && err == nil {
			return true
		}
	}
	return false
}

// Empty reports whether the list holds nothing.
func (l List) Empty() bool { return len(l.patterns) == 0 }

// everything reports whether the list is the expression that matches any name.
func (l List) everything() bool { return len(l.patterns) == 1 && l.patterns[0].String() == ".*" }

// String returns the list as it was given.
func (l List) String() string { return l.text }
