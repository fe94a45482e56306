package javaregex

import (
	"errors"
	"fmt"
	"strings"
)

// flags are the match flags that a pattern can switch: (?idmsux).
type flags struct {
	fold      bool // i: letters without regard to case; of ASCII only, unless
	unicode   bool // u: of all scripts
	multiline bool // m: ^ and $ at each line
	dotAll    bool // s: the dot takes line terminators too
	unixLines bool // d: only \n terminates a line
	comments  bool // x: white space and # comments are not part of the pattern
}

// translator reads a Java pattern and writes a .NET one, construct by construct.
type translator struct {
	in     []rune
	at     int
	out    strings.Builder
	flags  flags
	groups int
	names  map[string]int
}

func (t *translator) translate() (string, error) {
	if err := t.alternatives(); err != nil {
		return "", err
	}
	if t.at < len(t.in) { // only a ")" stops it early
		return "", fmt.Errorf("unmatched closing parenthesis at %d", t.at)
	}
	return t.out.String(), nil
}

// alternatives translates up to the end or the closing parenthesis of the group
// it is in. Flags switched inside last until there.
func (t *translator) alternatives() error {
	saved := t.flags
	defer func() { t.flags = saved }()
	for t.skipComments(); t.at < len(t.in); t.skipComments() {
		switch t.in[t.at] {
		case ')':
			return nil
		case '|':
			t.at++
			t.out.WriteByte('|')
		default:
			if err := t.quantified(); err != nil {
				return err
			}
		}
	}
	return nil
}

// quantified translates one atom with its quantifier.
func (t *translator) quantified() error {
	start, repeatable, err := t.firstAtom()
	if err != nil || !repeatable {
		return err
	}
	t.skipComments()
	q, err := t.quantifier()
	if err != nil || q == "" {
		return err
	}
	written := t.out.String()
	atom := "(?:" + written[start:] + ")" + q
	t.out.Reset()
	t.out.WriteString(written[:start])
	switch {
	case t.accept('?'):
		t.out.WriteString(atom + "?")
	case t.accept('+'): // possessive: what it took is never given back
		t.out.WriteString("(?>" + atom + ")")
	default:
		t.out.WriteString(atom)
	}
	return nil
}

// firstAtom translates an atom and returns where in the output it starts. A
// quotation \Q...\E is as many atoms as it has characters: a quantifier behind
// it belongs to the last.
func (t *translator) firstAtom() (start int, repeatable bool, err error) {
	start = t.out.Len()
	if !t.lookingAt(`\Q`) {
		repeatable, err = t.atom()
		return start, repeatable, err
	}
	for _, c := range t.quotation() {
		start = t.out.Len()
		t.literal(c)
	}
	return start, t.out.Len() > start, nil
}

// quantifier reads *, +, ? or {n,m}, without the mark that may follow.
func (t *translator) quantifier() (string, error) {
	if t.at == len(t.in) {
		return "", nil
	}
	switch c := t.in[t.at]; c {
	case '*', '+', '?':
		t.at++
		return string(c), nil
	case '{':
		end := t.at + 1
		for end < len(t.in) && t.in[end] != '}' {
			end++
		}
		if end == len(t.in) {
			return "", fmt.Errorf("unclosed counted closure at %d", t.at)
		}
		q := string(t.in[t.at : end+1])
		if !validCount(q[1 : len(q)-1]) {
			return "", fmt.Errorf("illegal repetition %s at %d", q, t.at)
		}
		t.at = end + 1
		return q, nil
	}
	return "", nil
}

// validCount takes n, n, and n,m with n not above m.
func validCount(s string) bool {
	low, high, comma := strings.Cut(s, ",")
	var n, m int
	if !readInt(low, &n) {
		return false
	}
	return !comma || high == "" || readInt(high, &m) && n <= m
}

func readInt(s string, n *int) bool {
	if s == "" || len(s) > 9 {
		return false
	}
	for _, c := range s {
		if !isDigit(c) {
			return false
		}
		*n = *n*10 + int(c-'0')
	}
	return true
}

// atom translates the smallest thing that a quantifier may follow. It reports
// false for what cannot be repeated: a flag switch.
func (t *translator) atom() (repeatable bool, err error) {
	c := t.in[t.at]
	switch c {
	case '(':
		return t.group()
	case '[':
		set, err := t.class()
		if err != nil {
			return false, err
		}
		t.out.WriteString(set.String())
		return true, nil
	case '\\':
		return true, t.escape()
	case '.':
		t.out.WriteString(t.dot())
	case '^':
		t.out.WriteString(t.caret())
	case '$':
		t.out.WriteString(t.dollar())
	case '*', '+', '?':
		return false, fmt.Errorf("dangling meta character '%c' at %d", c, t.at)
	case '{':
		return false, fmt.Errorf("illegal repetition at %d", t.at)
	default:
		t.literal(c)
	}
	t.at++
	return true, nil
}

// literal writes one character that stands for itself.
func (t *translator) literal(c rune) {
	t.out.WriteString(t.folded(runeSet{{c, c}}).String())
}

// group translates what a parenthesis opens.
func (t *translator) group() (repeatable bool, err error) {
	t.at++
	open, err := t.opening()
	if err != nil || open == "" {
		return false, err
	}
	t.out.WriteString(open)
	return true, t.inside()
}

// inside translates a group's body and its closing parenthesis.
func (t *translator) inside() error {
	if err := t.alternatives(); err != nil {
		return err
	}
	if !t.accept(')') {
		return errors.New("unclosed group")
	}
	t.out.WriteByte(')')
	return nil
}

// opening reads the kind of a group, behind its parenthesis, and returns its
// translation, or "" if it only switched flags.
func (t *translator) opening() (string, error) {
	if !t.accept('?') {
		t.groups++
		return "(?<" + groupName(t.groups) + ">", nil
	}
	for _, kind := range []string{":", "=", "!", ">", "<=", "<!"} {
		if strings.HasPrefix(string(t.in[t.at:min(len(t.in), t.at+2)]), kind) {
			t.at += len(kind)
			return "(?" + kind, nil
		}
	}
	if t.accept('<') {
		return t.named()
	}
	return t.switchFlags()
}

func (t *translator) named() (string, error) {
	start := t.at
	for t.at < len(t.in) && isAlnum(t.in[t.at]) {
		t.at++
	}
	name := string(t.in[start:t.at])
	if name == "" || !isLetter(t.in[start]) || !t.accept('>') {
		return "", fmt.Errorf("a group's name at %d must be letters and digits of ASCII, a letter first, and end in '>'", start)
	}
	if _, twice := t.names[name]; twice {
		return "", fmt.Errorf("group name %q is given twice", name)
	}
	t.groups++
	t.names[name] = t.groups
	return "(?<" + groupName(t.groups) + ">", nil
}

// switchFlags reads (?flags-flags) or (?flags-flags:X).
func (t *translator) switchFlags() (string, error) {
	f, on := t.flags, true
	for t.at < len(t.in) {
		c := t.in[t.at]
		t.at++
		switch c {
		case 'i':
			f.fold = on
		case 'm':
			f.multiline = on
		case 's':
			f.dotAll = on
		case 'd':
			f.unixLines = on
		case 'u':
			f.unicode = on
		case 'x':
			f.comments = on
		case '-':
			on = false
		case ')':
			t.flags = f
			return "", nil
		case ':':
			saved := t.flags
			t.flags = f
			t.out.WriteString("(?:")
			err := t.inside()
			t.flags = saved
			return "", err
		default:
			return "", fmt.Errorf("inline modifier '%c' at %d is not known or not supported", c, t.at-1)
		}
	}
	return "", errors.New("unclosed group")
}

// skipComments skips what the x flag makes insignificant.
func (t *translator) skipComments() {
	for t.flags.comments && t.at < len(t.in) {
		switch c := t.in[t.at]; {
		case c == '#':
			for t.at < len(t.in) && t.in[t.at] != '\n' && t.in[t.at] != '\r' {
				t.at++
			}
		case spaces.has(c):
			t.at++
		default:
			return
		}
	}
}

func (t *translator) accept(c rune) bool {
	if t.at < len(t.in) && t.in[t.at] == c {
		t.at++
		return true
	}
	return false
}

// terminators is the class of line terminators: \n alone under the d flag.
func (t *translator) terminators() string {
	if t.flags.unixLines {
		return `\n`
	}
	return `\n\r\u0085\u2028\u2029`
}

func (t *translator) dot() string {
	if t.flags.dotAll {
		return `[\s\S]`
	}
	return "[^" + t.terminators() + "]"
}

func (t *translator) caret() string {
	if !t.flags.multiline {
		return `\A`
	}
	// Not at the very end, which for Java an empty text's beginning is too, and not between \r and \n.
	return `(?:(?!\z)(?:\A|(?<=[` + t.terminators() + `])(?<!\r(?=\n))))`
}

func (t *translator) dollar() string {
	switch {
	case t.flags.multiline && t.flags.unixLines:
		return `(?:\z|(?=\n))`
	case t.flags.multiline:
		return `(?:\z|(?=[` + t.terminators() + `])(?<!\r(?=\n)))`
	}
	return t.lastLine()
}

// lastLine is the end, or before a terminator that is the last thing.
func (t *translator) lastLine() string {
	if t.flags.unixLines { // \r is a character like others
		return `(?=\n?\z)`
	}
	return `(?:(?=(?:\r\n|[` + t.terminators() + `])?\z)(?<!\r(?=\n)))`
}
