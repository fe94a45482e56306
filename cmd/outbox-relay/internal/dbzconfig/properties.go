package dbzconfig

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// property is one key and value of a Java properties file.
type property struct {
	key, value string
	line       int  // the first of its lines, from 1
	beyond     bool // there are letters beyond ASCII in its lines, not written as \uXXXX
}

// parseProperties reads the format of java.util.Properties: # and ! begin comments, the first = : or blank that is
// not escaped ends the key, a backslash at the end of a line continues it, \uXXXX is a UTF-16 unit. The error is the
// first malformed \u, as in Java; it has the line but not the text, which may be secret.
func parseProperties(text string) ([]property, error) {
	var out []property
	lines := splitLines(text)
	for i := 0; i < len(lines); {
		first := i
		line := strings.TrimLeft(lines[i], " \t\f")
		i++
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		for endsInBackslash(line) {
			line = line[:len(line)-1]
			if i == len(lines) {
				break
			}
			line += strings.TrimLeft(lines[i], " \t\f")
			i++
		}
		p, err := parseProperty(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", first+1, err)
		}
		p.line, p.beyond = first+1, !ascii(line)
		out = append(out, p)
	}
	return out, nil
}

// splitLines splits at \n, \r and \r\n.
func splitLines(text string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
}

// endsInBackslash reports whether an odd number of backslashes ends the line: the last one is not escaped.
func endsInBackslash(line string) bool {
	n := len(line) - len(strings.TrimRight(line, `\`))
	return n%2 == 1
}

// parseProperty splits a logical line.
func parseProperty(line string) (property, error) {
	end := keyEnd(line)
	rest := strings.TrimLeft(line[end:], " \t\f")
	if rest != "" && (rest[0] == '=' || rest[0] == ':') {
		rest = strings.TrimLeft(rest[1:], " \t\f")
	}
	key, errKey := unescape(line[:end])
	value, errValue := unescape(rest)
	return property{key: key, value: value}, errors.Join(errKey, errValue)
}

// keyEnd is where the key of a logical line ends.
func keyEnd(line string) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '=', ':', ' ', '\t', '\f':
			return i
		}
	}
	return len(line)
}

// unescape resolves the escapes of a key or value.
func unescape(text string) (string, error) {
	if !strings.Contains(text, `\`) {
		return text, nil
	}
	var units []uint16
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			r, size := utf8.DecodeRuneInString(text[i:])
			units = utf16.AppendRune(units, r)
			i += size
			continue
		}
		if i++; i == len(text) {
			break // cannot continue: the last line of the file
		}
		if text[i] == 'u' {
			if i+5 > len(text) {
				return "", errMalformed
			}
			n, err := strconv.ParseUint(text[i+1:i+5], 16, 16)
			if err != nil {
				return "", errMalformed
			}
			units = append(units, uint16(n))
			i += 5
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		units = utf16.AppendRune(units, escaped(r))
		i += size
	}
	return string(utf16.Decode(units)), nil
}

var errMalformed = errors.New(`a \u is not followed by four hexadecimal digits`)

// escaped is the character that a backslash and c stand for.
func escaped(c rune) rune {
	switch c {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 'f':
		return '\f'
	}
	return c
}
