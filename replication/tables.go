package replication

import (
	"fmt"
	"regexp"
	"strings"
)

// Tables is Debezium's table.include.list: comma-separated regular expressions,
// each of which must match the whole of schema.table, whatever the case of its
// letters. A backslash before a comma keeps it in the expression.
type Tables struct {
	list     string
	patterns []*regexp.Regexp
}

// ParseTables reads a table.include.list. Its errors name the expression.
func ParseTables(list string) (Tables, error) {
	t := Tables{list: list}
	for _, expr := range splitList(list) {
		re, err := regexp.Compile(`(?is)^(?:` + expr + `)$`)
		if err != nil {
			return Tables{}, fmt.Errorf("table.include.list: %q: %w", expr, err)
		}
		t.patterns = append(t.patterns, re)
	}
	return t, nil
}

// splitList splits at commas that no backslash precedes and drops empty parts.
func splitList(list string) []string {
	var parts []string
	var part strings.Builder
	flush := func() {
		if s := strings.TrimSpace(part.String()); s != "" {
			parts = append(parts, s)
		}
		part.Reset()
	}
	for i := 0; i < len(list); i++ {
		switch {
		case list[i] == '\\' && i+1 < len(list) && list[i+1] == ',':
			part.WriteByte(',')
			i++
		case list[i] == ',':
			flush()
		default:
			part.WriteByte(list[i])
		}
	}
	flush()
	return parts
}

// Match reports whether the table is an outbox table.
func (t Tables) Match(schema, table string) bool {
	name := schema + "." + table
	for _, re := range t.patterns {
		if re.MatchString(name) {
			return true
		}
	}
	return false
}

// Empty reports whether the list names nothing.
func (t Tables) Empty() bool { return len(t.patterns) == 0 }

// String returns the list as it was given.
func (t Tables) String() string { return t.list }
