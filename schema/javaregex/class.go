package javaregex

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// class reads a character class, from its opening bracket to the closing one.
// Java's classes nest, which is their union, and && is their intersection.
func (t *translator) class() (runeSet, error) {
	t.at++
	negated := t.accept('^')
	var set, left runeSet
	hasLeft, empty := false, true
	for {
		t.skipComments()
		if t.at == len(t.in) {
			return nil, errors.New("unclosed character class")
		}
		switch {
		case t.in[t.at] == ']' && !empty:
			t.at++
			set = operand(left, hasLeft, set)
			if negated {
				set = set.complement()
			}
			return set, nil
		case t.lookingAt("&&"):
			t.at += 2
			left = operand(left, hasLeft, set)
			hasLeft, set, empty = left != nil, nil, false
			continue
		}
		empty = false
		member, err := t.member()
		if err != nil {
			return nil, err
		}
		set = set.union(member)
	}
}

// operand ends one side of &&. A side without members does not count.
func operand(left runeSet, hasLeft bool, set runeSet) runeSet {
	switch {
	case !hasLeft:
		return set
	case set == nil:
		return left
	}
	both := left.intersect(set)
	if both == nil {
		return runeSet{}
	}
	return both
}

// member reads one member of a class: a nested class, an escape that stands for
// a set, a character or a range.
func (t *translator) member() (runeSet, error) {
	if t.in[t.at] == '[' {
		return t.class()
	}
	low, set, err := t.classRune()
	if err != nil || set != nil {
		return set, err
	}
	high := low
	if t.lookingAt("-") && t.at+1 < len(t.in) && t.in[t.at+1] != ']' && t.in[t.at+1] != '[' {
		t.at++
		if high, set, err = t.classRune(); err != nil {
			return nil, err
		}
		if set != nil || high < low {
			return nil, fmt.Errorf("illegal character range near %d", t.at)
		}
	}
	return t.folded(runeSet{{low, high}}), nil
}

// classRune reads a character, or an escape that stands for a set.
func (t *translator) classRune() (rune, runeSet, error) {
	c := t.in[t.at]
	if c != '\\' {
		t.at++
		return c, nil, nil
	}
	if t.lookingAt(`\Q`) {
		return 0, t.quotedSet(), nil
	}
	t.at++
	if t.at == len(t.in) {
		return 0, nil, errors.New("unclosed character class")
	}
	if set, ok, err := t.escapedSet(); ok || err != nil {
		return 0, set, err
	}
	c, err := t.escapedRune()
	return c, nil, err
}

// quotedSet reads \Q...\E inside a class: each character is a member.
func (t *translator) quotedSet() runeSet {
	var set runeSet
	for _, c := range t.quotation() {
		set = set.union(t.folded(runeSet{{c, c}}))
	}
	if set == nil {
		return runeSet{}
	}
	return set
}

// quotation reads \Q...\E, or to the end of the pattern.
func (t *translator) quotation() []rune {
	t.at += 2
	start := t.at
	for t.at < len(t.in) && !t.lookingAt(`\E`) {
		t.at++
	}
	quoted := t.in[start:t.at]
	t.at = min(t.at+2, len(t.in))
	return quoted
}

func (t *translator) lookingAt(s string) bool {
	return strings.HasPrefix(string(t.in[t.at:min(len(t.in), t.at+len(s))]), s)
}

// escapedSet reads an escape that stands for a set, behind its backslash.
func (t *translator) escapedSet() (set runeSet, ok bool, err error) {
	sets := map[rune]runeSet{'d': digits, 'w': words, 's': spaces, 'h': horizontal, 'v': vertical}
	c := t.in[t.at]
	if s, ok := sets[c]; ok {
		t.at++
		return s, true, nil
	}
	if s, ok := sets[unicode.ToLower(c)]; ok && isLetter(c) {
		t.at++
		return s.complement(), true, nil
	}
	if c != 'p' && c != 'P' {
		return nil, false, nil
	}
	t.at++
	name, err := t.propertyName()
	if err != nil {
		return nil, true, err
	}
	set, known := property(name)
	if !known {
		return nil, true, fmt.Errorf("unknown or unsupported character property %q", name)
	}
	if t.flags.fold {
		set = anyCase(name, set)
	}
	if c == 'P' {
		set = set.complement()
	}
	return set, true, nil
}

// anyCase is what a property about case stands for under the i flag: letters of every case, of ASCII for POSIX's
// names and of all scripts for Unicode's, whatever the u flag says. Other properties stay as they are.
func anyCase(name string, set runeSet) runeSet {
	_, value, assigned := strings.Cut(name, "=")
	if !assigned {
		value = strings.TrimPrefix(name, "Is")
	}
	switch {
	case name == "Lower" || name == "Upper":
		return posix["Alpha"]
	case value == "Lu" || value == "Ll" || value == "Lt":
		return fromTable(unicode.Lu).union(fromTable(unicode.Ll)).union(fromTable(unicode.Lt))
	case value == "Uppercase" || value == "Lowercase" || value == "javaUpperCase" || value == "javaLowerCase":
		return fromTable(unicode.Lu).union(fromTable(unicode.Ll)).union(fromTable(unicode.Lt)).
			union(fromTable(unicode.Other_Uppercase)).union(fromTable(unicode.Other_Lowercase))
	}
	return set
}

// propertyName reads what follows \p: one letter or {name}.
func (t *translator) propertyName() (string, error) {
	if t.at == len(t.in) {
		return "", errors.New("a character property has no name")
	}
	if !t.accept('{') {
		t.at++
		return string(t.in[t.at-1]), nil
	}
	start := t.at
	for t.at < len(t.in) && t.in[t.at] != '}' {
		t.at++
	}
	name := string(t.in[start:t.at])
	if !t.accept('}') {
		return "", errors.New("unclosed character property")
	}
	return name, nil
}

// posix are the classes of ASCII that Java names after POSIX, and its own few
// that are commonly used.
var posix = map[string]runeSet{
	"Lower": {{'a', 'z'}}, "Upper": {{'A', 'Z'}}, "ASCII": {{0, 0x7F}},
	"Alpha": {{'A', 'Z'}, {'a', 'z'}}, "Digit": digits,
	"Alnum": {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}},
	"Punct": {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}},
	"Graph": {{'!', '~'}}, "Print": {{' ', '~'}}, "Blank": {{'\t', '\t'}, {' ', ' '}},
	"Cntrl":  {{0, 0x1F}, {0x7F, 0x7F}},
	"XDigit": {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, "Space": spaces,
}

// property finds a set by the name in \p{name}.
func property(name string) (runeSet, bool) {
	if s, ok := posix[name]; ok {
		return s, true
	}
	key, value, assigned := strings.Cut(name, "=")
	switch {
	case assigned && (key == "sc" || key == "script"):
		return scriptSet(value)
	case assigned && (key == "gc" || key == "general_category"):
		return categorySet(value)
	case assigned:
		return nil, false
	}
	switch name {
	case "IsAlphabetic":
		return fromTable(unicode.L).union(fromTable(unicode.Nl)).union(fromTable(unicode.Other_Alphabetic)), true
	case "IsLetter":
		return fromTable(unicode.L), true
	case "IsDigit":
		return fromTable(unicode.Nd), true
	case "IsUppercase", "javaUpperCase":
		return fromTable(unicode.Lu).union(fromTable(unicode.Other_Uppercase)), true
	case "IsLowercase", "javaLowerCase":
		return fromTable(unicode.Ll).union(fromTable(unicode.Other_Lowercase)), true
	case "IsWhite_Space":
		return fromTable(unicode.White_Space), true
	}
	if s, ok := categorySet(strings.TrimPrefix(name, "Is")); ok {
		return s, true
	}
	if script, is := strings.CutPrefix(name, "Is"); is {
		return scriptSet(script)
	}
	return nil, false
}

func categorySet(name string) (runeSet, bool) {
	if table, ok := unicode.Categories[name]; ok && len(name) <= 2 {
		return fromTable(table), true
	}
	return nil, false
}

// scriptSet finds a script without regard to case, as Java does.
func scriptSet(name string) (runeSet, bool) {
	for script, table := range unicode.Scripts {
		if strings.EqualFold(script, name) {
			return fromTable(table), true
		}
	}
	return nil, false
}
