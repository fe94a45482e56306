package javaregex

import (
	"errors"
	"fmt"
	"strings"
)

// Replacement is a replacement text of Java's Matcher: $n and ${name} stand for
// groups, a backslash makes the next character literal.
type Replacement struct {
	parts []part
}

// part is literal text followed by a group's; group is -1 for none.
type part struct {
	text  string
	group int
}

// ParseReplacement reads a replacement for re. What Java would throw when the
// first text matches (an unknown group, a lone dollar or backslash) is an error
// here.
func (re *Regexp) ParseReplacement(text string) (*Replacement, error) {
	r := &Replacement{}
	var literal strings.Builder
	in := []rune(text)
	for i := 0; i < len(in); {
		switch in[i] {
		case '\\':
			if i+1 == len(in) {
				return nil, fmt.Errorf("replacement %q ends in a backslash", text)
			}
			literal.WriteRune(in[i+1])
			i += 2
		case '$':
			group, used, err := re.reference(in[i+1:])
			if err != nil {
				return nil, fmt.Errorf("replacement %q: %w", text, err)
			}
			r.parts = append(r.parts, part{literal.String(), group})
			literal.Reset()
			i += 1 + used
		default:
			literal.WriteRune(in[i])
			i++
		}
	}
	if literal.Len() > 0 {
		r.parts = append(r.parts, part{literal.String(), -1})
	}
	return r, nil
}

// reference reads what follows a dollar and returns the group and the number of
// characters that it took.
func (re *Regexp) reference(in []rune) (group, used int, err error) {
	if len(in) > 0 && in[0] == '{' {
		end := 1
		for end < len(in) && isAlnum(in[end]) {
			end++
		}
		name := string(in[1:end])
		switch {
		case end == len(in) || in[end] != '}':
			return 0, 0, errors.New("a group's name in ${...} has only letters and digits of ASCII")
		case name == "" || !isLetter(in[1]):
			return 0, 0, fmt.Errorf("${%s}: a group's name starts with a letter", name)
		}
		n, ok := re.names[name]
		if !ok {
			return 0, 0, fmt.Errorf("the regular expression %q has no group named %q", re.pattern, name)
		}
		return n, end + 1, nil
	}
	if len(in) == 0 || !isDigit(in[0]) {
		return 0, 0, errors.New("a dollar sign stands for a group ($1, ${name}); write \\$ for the character")
	}
	group = int(in[0] - '0')
	if group > re.groups {
		return 0, 0, fmt.Errorf("the regular expression %q has no group %d", re.pattern, group)
	}
	// More digits belong to the number as long as there is such a group.
	for used = 1; used < len(in) && isDigit(in[used]); used++ {
		next := group*10 + int(in[used]-'0')
		if next > re.groups {
			break
		}
		group = next
	}
	return group, used, nil
}

// Affixes returns the replacement's text before and behind its only group
// reference; ok is false if it has another shape.
func (r *Replacement) Affixes() (before, after string, group int, ok bool) {
	switch {
	case len(r.parts) == 1 && r.parts[0].group >= 0:
		return r.parts[0].text, "", r.parts[0].group, true
	case len(r.parts) == 2 && r.parts[0].group >= 0 && r.parts[1].group < 0:
		return r.parts[0].text, r.parts[1].text, r.parts[0].group, true
	}
	return "", "", 0, false
}

func isDigit(c rune) bool  { return c >= '0' && c <= '9' }
func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isAlnum(c rune) bool  { return isDigit(c) || isLetter(c) }
