package javaregex

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// runeSet is a set of characters: ranges in order that do not touch.
type runeSet []runeRange

type runeRange struct{ low, high rune }

var (
	digits     = runeSet{{'0', '9'}}
	words      = runeSet{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	spaces     = runeSet{{'\t', '\r'}, {' ', ' '}}
	horizontal = runeSet{{'\t', '\t'}, {' ', ' '}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x180E, 0x180E},
		{0x2000, 0x200A}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}}
	vertical = runeSet{{'\n', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}}
)

func (s runeSet) has(c rune) bool {
	for _, r := range s {
		if c >= r.low && c <= r.high {
			return true
		}
	}
	return false
}

// union sorts and joins all ranges of both.
func (s runeSet) union(other runeSet) runeSet {
	all := append(slices.Clone(s), other...)
	slices.SortFunc(all, func(a, b runeRange) int { return int(a.low) - int(b.low) })
	var out runeSet
	for _, r := range all {
		if n := len(out); n > 0 && r.low <= out[n-1].high+1 {
			out[n-1].high = max(out[n-1].high, r.high)
			continue
		}
		out = append(out, r)
	}
	return out
}

// complement is every character that is not in s.
func (s runeSet) complement() runeSet {
	var out runeSet
	next := rune(0)
	for _, r := range s {
		if r.low > next {
			out = append(out, runeRange{next, r.low - 1})
		}
		next = r.high + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, runeRange{next, unicode.MaxRune})
	}
	return out
}

func (s runeSet) intersect(other runeSet) runeSet {
	return s.complement().union(other.complement()).complement()
}

// String writes the set as a .NET class, or as a literal if it is one character.
func (s runeSet) String() string {
	switch {
	case len(s) == 0:
		return `(?!)` // matches nothing
	case len(s) == 1 && s[0].low == s[0].high:
		return quoteRune(s[0].low)
	}
	var b strings.Builder
	b.WriteByte('[')
	for _, r := range s {
		b.WriteString(quoteRune(r.low))
		if r.high > r.low {
			b.WriteString("-" + quoteRune(r.high))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// quoteRune writes a character so that it means itself, in a class or outside.
func quoteRune(c rune) string {
	switch {
	case c < 0x80 && isAlnum(c):
		return string(c)
	case c <= 0xFFFF:
		return fmt.Sprintf(`\u%04X`, c)
	}
	return string(c)
}

// folded adds the other cases of the letters in s, if the i flag is on.
func (t *translator) folded(s runeSet) runeSet {
	if !t.flags.fold {
		return s
	}
	var more runeSet
	if !t.flags.unicode {
		for c := 'a'; c <= 'z'; c++ {
			upper := c - 'a' + 'A'
			if s.has(c) || s.has(upper) {
				more = append(more, runeRange{c, c}, runeRange{upper, upper})
			}
		}
		return s.union(more)
	}
	for _, r := range s {
		for c := r.low; c <= r.high && c <= 0x1E943; c++ { // the last letter that has two cases
			for o := unicode.SimpleFold(c); o != c; o = unicode.SimpleFold(o) {
				more = append(more, runeRange{o, o})
			}
		}
	}
	return s.union(more)
}

// fromTable turns one of Go's Unicode tables into a set.
func fromTable(table *unicode.RangeTable) runeSet {
	var s runeSet
	add := func(low, high, stride rune) {
		if stride == 1 {
			s = append(s, runeRange{low, high})
			return
		}
		for c := low; c <= high; c += stride {
			s = append(s, runeRange{c, c})
		}
	}
	for _, r := range table.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range table.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return s.union(nil)
}
