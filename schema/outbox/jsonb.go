package outbox

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// measure returns how many bytes valid JSON takes once it is stored, and refuses what
// jsonb refuses in it. jsonb puts a blank behind each comma and colon and writes
// numbers without an exponent. A json column keeps the text, so blanks are counted
// too: the size may be too large, but never too small.
func measure(text []byte) (size int, err error) {
	for i := 0; i < len(text); {
		end, printed := i+1, 1
		switch c := text[i]; {
		case c == ',' || c == ':':
			printed = 2
		case c == '"':
			end, err = skipString(text, i)
			printed = end - i
		case c == '-' || isDigit(c):
			end = skipNumber(text, i)
			printed, err = numberSize(text[i:end])
			printed = max(printed, end-i)
		}
		if err != nil {
			return 0, fmt.Errorf("%w, at byte %d of %d", err, i+1, len(text))
		}
		size, i = size+printed, end
	}
	return size, nil
}

var (
	errZero      = errors.New(`the payload holds a string with \u0000, which PostgreSQL has no place for`)
	errSurrogate = errors.New("the payload holds a string with half of a surrogate pair, which PostgreSQL has no place for")
)

// skipString returns the index behind the string that begins at i. No string becomes
// longer in jsonb, which writes some escapes as the characters that they stand for.
func skipString(text []byte, i int) (int, error) {
	for i++; text[i] != '"'; i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		if text[i] != 'u' {
			continue
		}
		switch unit := codeUnit(text[i-1:]); {
		case unit == 0:
			return 0, errZero
		case unit >= 0xd800 && unit < 0xdc00:
			if low := codeUnit(text[i+5:]); low < 0xdc00 || low > 0xdfff {
				return 0, errSurrogate
			}
			i += 6
		case unit >= 0xdc00 && unit <= 0xdfff:
			return 0, errSurrogate
		}
		i += 4
	}
	return i + 1, nil
}

// codeUnit is the \uXXXX that a text begins with, or -1.
func codeUnit(text []byte) int {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return int(unit)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func skipNumber(text []byte, i int) int {
	for i < len(text) && (isDigit(text[i]) || strings.IndexByte("+-.eE", text[i]) >= 0) {
		i++
	}
	return i
}

// What a numeric can hold (PostgreSQL's documentation, table 8.2), and the exponents
// that it reads at all, whatever they belong to (numeric.c: less than half of the
// largest int).
const (
	maxBefore   = 131072
	maxBehind   = 16383
	maxExponent = 1<<30 - 2
)

var errNumber = fmt.Errorf("the payload holds a number out of the range of PostgreSQL's numeric, "+
	"which has %d digits before the point and %d behind it", maxBefore, maxBehind)

// numberSize is how many bytes a number of JSON takes as numeric prints it.
func numberSize(number []byte) (int, error) {
	digits := bytes.TrimPrefix(number, []byte("-"))
	mantissa, exponent, err := splitExponent(digits)
	if err != nil {
		return 0, err
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	behind := max(0, len(fraction)-exponent)
	before := 0 // of 0, whatever its exponent
	if zeros := leadingZeros(whole, fraction); zeros < len(whole)+len(fraction) {
		before = max(0, len(whole)-zeros+exponent)
	}
	if before > maxBefore || behind > maxBehind {
		return 0, errNumber
	}
	size := len(number) - len(digits) + max(1, before)
	if behind > 0 {
		size += 1 + behind
	}
	return size, nil
}

func splitExponent(number []byte) (mantissa []byte, exponent int, err error) {
	at := bytes.IndexAny(number, "eE")
	if at < 0 {
		return number, 0, nil
	}
	n, err := strconv.ParseInt(string(number[at+1:]), 10, 32)
	if err != nil || n > maxExponent || n < -maxExponent {
		return nil, 0, errNumber
	}
	return number[:at], int(n), nil
}

// leadingZeros counts those of the digits on both sides of the point.
func leadingZeros(whole, fraction []byte) int {
	n := len(whole) - len(bytes.TrimLeft(whole, "0"))
	if n == len(whole) {
		n += len(fraction) - len(bytes.TrimLeft(fraction, "0"))
	}
	return n
}
