package options

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The errors of the parsers are read behind the quoted value: "12x" is not a whole number.
var (
	errNumber   = errors.New("is not a whole number")
	errRange    = errors.New("is too large or too small a number")
	errBytes    = errors.New("is not a number of bytes like 1048576, 512k, 64M or 1G")
	errBool     = errors.New("is neither true nor false")
	errMillis   = errors.New("is not a whole number of milliseconds")
	errDuration = errors.New("is not a duration like 500ms, 30s, 5m or 72h")
)

func parseString(s string) (string, error) { return s, nil }

// parseInt takes a decimal number that fits T.
func parseInt[T int | int64](s string) (T, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if errors.Is(err, strconv.ErrRange) || err == nil && int64(T(n)) != n {
		return 0, errRange
	}
	if err != nil {
		return 0, errNumber
	}
	return T(n), nil
}

func formatInt[T int | int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// parseBool takes what package flag takes.
func parseBool(s string) (bool, error) {
	v, err := strconv.ParseBool(s)
	if err != nil {
		return false, errBool
	}
	return v, nil
}

func formatBool(v bool) string { return strconv.FormatBool(v) }

func parseMillis(s string) (time.Duration, error) {
	n, err := parseInt[int64](s)
	if err != nil {
		return 0, errMillis
	}
	d := time.Duration(n) * time.Millisecond
	if d.Milliseconds() != n {
		return 0, errRange
	}
	return d, nil
}

// parseDuration refuses a bare number other than 0 (as time.ParseDuration does) and says what to write instead.
func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err == nil {
		return d, nil
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return 0, fmt.Errorf("has no unit; write %ss for seconds or %sms for milliseconds", s, s)
	}
	return 0, errDuration
}

// formatDuration leaves out the zeros that time.Duration prints: 5m, not 5m0s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func parseList(s string) ([]string, error) { return splitList(s), nil }

// splitList splits at commas and drops blanks and empty members.
func splitList(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// byteUnits are powers of 1024, whatever is written behind the letter.
var byteUnits = []struct {
	letter string
	shift  uint
}{{"k", 10}, {"m", 20}, {"g", 30}}

func parseBytes(s string) (int64, error) {
	number, shift := strings.ToLower(s), uint(0)
	number = strings.TrimSuffix(strings.TrimSuffix(number, "b"), "i")
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(number, u.letter); ok {
			number, shift = strings.TrimSpace(rest), u.shift
			break
		}
	}
	n, err := parseInt[int64](number)
	if errors.Is(err, errRange) {
		return 0, errRange
	}
	if err != nil || shift == 0 && number != s {
		return 0, errBytes
	}
	if n<<shift>>shift != n {
		return 0, errRange
	}
	return n << shift, nil
}

// formatBytes uses the largest unit that leaves a whole number.
func formatBytes(n int64) string {
	unit := ""
	for _, u := range []string{"k", "M", "G"} {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, u
	}
	return formatInt(n) + unit
}
