package javaregex

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
)

// escape translates a backslash and what follows it, outside a class.
func (t *translator) escape() error {
	t.at++
	if t.at == len(t.in) {
		return errors.New("the pattern ends in a backslash")
	}
	if set, ok, err := t.escapedSet(); ok || err != nil {
		t.out.WriteString(set.String())
		return err
	}
	c := t.in[t.at]
	if text, ok := t.assertion(c); ok {
		t.at++
		t.out.WriteString(text)
		return nil
	}
	switch {
	case c >= '1' && c <= '9':
		t.backReference(t.groupNumber())
		return nil
	case c == 'k':
		return t.namedBackReference()
	}
	r, err := t.escapedRune()
	if err != nil {
		return err
	}
	t.literal(r)
	return nil
}

// assertion translates the escapes that match at a place, and \R.
func (t *translator) assertion(c rune) (string, bool) {
	w := words.String()
	switch c {
	case 'b':
		return "(?:(?<=" + w + ")(?!" + w + ")|(?<!" + w + ")(?=" + w + "))", true
	case 'B':
		return "(?:(?<=" + w + ")(?=" + w + ")|(?<!" + w + ")(?!" + w + "))", true
	case 'A':
		return `\A`, true
	case 'G':
		return `\G`, true
	case 'z':
		return `\z`, true
	case 'Z':
		return t.lastLine(), true
	case 'R':
		return `(?:\r\n|` + vertical.String() + ")", true
	}
	return "", false
}

// groupNumber reads \n: further digits belong to it as long as there is such a
// group by now.
func (t *translator) groupNumber() int {
	n := int(t.in[t.at] - '0')
	for t.at++; t.at < len(t.in) && isDigit(t.in[t.at]); t.at++ {
		next := n*10 + int(t.in[t.at]-'0')
		if next > t.groups {
			break
		}
		n = next
	}
	return n
}

func (t *translator) backReference(n int) {
	ref := `\k<` + groupName(n) + ">"
	switch {
	case n > t.groups:
		ref = "(?!)" // a group that is not there yet never matched
	case t.flags.fold:
		ref = "(?i:" + ref + ")"
	}
	t.out.WriteString(ref)
}

func (t *translator) namedBackReference() error {
	t.at++
	end := strings.IndexRune(string(t.in[t.at:]), '>')
	if !t.lookingAt("<") || end < 0 {
		return errors.New(`\k is not followed by a group's name in <>`)
	}
	rest := string(t.in[t.at:])
	name := rest[1:end]
	n, ok := t.names[name]
	if !ok {
		return fmt.Errorf("group %q is referred to before it is defined", name)
	}
	t.at += len([]rune(rest[:end+1]))
	t.backReference(n)
	return nil
}

// escapedRune reads an escape that stands for one character, behind its
// backslash.
func (t *translator) escapedRune() (rune, error) {
	c := t.in[t.at]
	t.at++
	simple := map[rune]rune{'t': '\t', 'n': '\n', 'r': '\r', 'f': '\f', 'a': '\a', 'e': 0x1B}
	switch r, ok := simple[c]; {
	case ok:
		return r, nil
	case c == '0':
		return t.octal()
	case c == 'x' && t.accept('{'):
		return t.hexUntilBrace()
	case c == 'x':
		return t.hex(2)
	case c == 'u':
		return t.utf16Escape()
	case c == 'c':
		if t.at == len(t.in) {
			return 0, errors.New(`\c is not followed by a character`)
		}
		t.at++
		return t.in[t.at-1] ^ 64, nil
	case isAlnum(c):
		return 0, fmt.Errorf(`escape sequence \%c is not known or not supported`, c)
	}
	return c, nil
}

// octal reads up to three digits behind \0, at most 0377.
func (t *translator) octal() (rune, error) {
	var n rune
	count := 0
	for ; count < 3 && t.at < len(t.in) && t.in[t.at] >= '0' && t.in[t.at] <= '7'; count++ {
		if next := n*8 + t.in[t.at] - '0'; next <= 0o377 {
			n = next
			t.at++
			continue
		}
		break
	}
	if count == 0 {
		return 0, errors.New(`\0 is not followed by octal digits`)
	}
	return n, nil
}

func (t *translator) hexUntilBrace() (rune, error) {
	var n rune
	for start := t.at; ; {
		if t.accept('}') && t.at > start+1 {
			return n, nil
		}
		d, err := t.hex(1)
		if err != nil || n > 0x10FFFF>>4 {
			return 0, errors.New(`\x{...} does not hold a character's hexadecimal number`)
		}
		n = n<<4 | d
	}
}

func (t *translator) hex(count int) (rune, error) {
	var n rune
	for ; count > 0; count-- {
		if t.at == len(t.in) {
			return 0, errors.New("hexadecimal digits are missing at the end")
		}
		d := strings.IndexRune("0123456789abcdef", toLower(t.in[t.at]))
		if d < 0 {
			return 0, fmt.Errorf("hexadecimal digits are missing at %d", t.at)
		}
		n = n<<4 | rune(d)
		t.at++
	}
	return n, nil
}

func toLower(c rune) rune {
	if c >= 'A' && c <= 'Z' {
		return c - 'A' + 'a'
	}
	return c
}

// utf16Escape reads \uhhhh; two that are a surrogate pair make one character.
func (t *translator) utf16Escape() (rune, error) {
	high, err := t.hex(4)
	if err != nil || !utf16.IsSurrogate(high) || !t.lookingAt(`\u`) {
		return high, err
	}
	before := t.at
	t.at += 2
	low, err := t.hex(4)
	if err != nil {
		return 0, err
	}
	if pair := utf16.DecodeRune(high, low); pair != '\uFFFD' {
		return pair, nil
	}
	t.at = before
	return high, nil
}
