// Package javaregex runs regular expressions as java.util.regex.Pattern does:
// the dialect in which Debezium's and Kafka Connect's options are written. What
// Go's regexp cannot do (lookaround, back references, possessive quantifiers) is
// included. It translates a pattern for the backtracking engine of regexp2,
// whose dialect, .NET's, differs in what a dot, a class or a group number means.
package javaregex

import (
	"fmt"
	"strings"

	"github.com/dlclark/regexp2"
)

// Regexp is a compiled pattern. It is safe for concurrent use.
type Regexp struct {
	pattern string
	find    *regexp2.Regexp // finds the pattern anywhere
	whole   *regexp2.Regexp // the same, but it must be the entire text
	groups  int
	names   map[string]int
}

// Compile translates a Java pattern. It reports what Java would not compile
// either, and the few things that have no translation, by name.
func Compile(pattern string) (*Regexp, error) { return compile(pattern, flags{}) }

// CompileFold is Compile with Java's CASE_INSENSITIVE: letters of ASCII match
// without regard to case, as in Debezium's table lists.
func CompileFold(pattern string) (*Regexp, error) { return compile(pattern, flags{fold: true}) }

func compile(pattern string, f flags) (*Regexp, error) {
	t := translator{in: []rune(pattern), flags: f, names: map[string]int{}}
	body, err := t.translate()
	if err != nil {
		return nil, fmt.Errorf("regular expression %q: %w", pattern, err)
	}
	re := &Regexp{pattern: pattern, groups: t.groups, names: t.names}
	if re.find, err = regexp2.Compile(body, regexp2.None); err != nil {
		return nil, fmt.Errorf("regular expression %q: %w", pattern, err)
	}
	if re.whole, err = regexp2.Compile(`\A(?:`+body+`)\z`, regexp2.None); err != nil {
		return nil, fmt.Errorf("regular expression %q: %w", pattern, err)
	}
	return re, nil
}

// String returns the pattern as it was given.
func (re *Regexp) String() string { return re.pattern }

// Matches reports whether the entire text matches: Matcher.matches.
func (re *Regexp) Matches(text string) (bool, error) {
	ok, err := re.whole.MatchString(text)
	if err != nil {
		return false, fmt.Errorf("regular expression %q: %w", re.pattern, err)
	}
	return ok, nil
}

// ReplaceFirst replaces the first place where the pattern is found, not
// necessarily the entire text: Matcher.replaceFirst.
func (re *Regexp) ReplaceFirst(text string, with *Replacement) (string, error) {
	m, err := re.find.FindStringMatch(text)
	if err != nil {
		return "", fmt.Errorf("regular expression %q: %w", re.pattern, err)
	}
	if m == nil {
		return text, nil
	}
	runes := []rune(text)
	var b strings.Builder
	b.WriteString(string(runes[:m.Index]))
	for _, p := range with.parts {
		b.WriteString(p.text)
		if p.group >= 0 {
			b.WriteString(group(m, p.group))
		}
	}
	b.WriteString(string(runes[m.Index+m.Length:]))
	return b.String(), nil
}

// group returns what a group matched, "" if it took no part.
func group(m *regexp2.Match, n int) string {
	if n == 0 {
		return m.String()
	}
	if g := m.GroupByName(groupName(n)); g != nil && len(g.Captures) > 0 {
		return g.String()
	}
	return ""
}

// groupName names every group by its Java number: .NET would number the named
// groups behind the others.
func groupName(n int) string { return fmt.Sprintf("g%d", n) }
