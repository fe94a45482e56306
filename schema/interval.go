package schema

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// intervalKind is interval under interval.handling.mode.
func (o TypeOptions) intervalKind() (kind, error) {
	switch o.IntervalHandling {
	case "", "numeric":
		return kind{schema: named(TypeInt64, "io.debezium.time.MicroDuration"), decode: decodeIntervalMicros}, nil
	case "string":
		return kind{schema: named(TypeString, "io.debezium.time.Interval"), decode: decodeIntervalISO}, nil
	}
	return kind{}, fmt.Errorf("-interval.handling.mode: %q is neither numeric nor string", o.IntervalHandling)
}

// span is an interval in the parts that PostgreSQL prints. Each has its own sign.
type span struct {
	years, months, days, hours, minutes int64
	micros                              int64 // of the minute
}

// parseInterval reads IntervalStyle=postgres: 1 year 2 mons -3 days +04:05:06.789
func parseInterval(text []byte) (span, bool) {
	var s span
	for len(text) > 0 {
		var word []byte
		word, text, _ = bytes.Cut(text, []byte(" "))
		if bytes.IndexByte(word, ':') >= 0 {
			return s, len(text) == 0 && s.clock(word)
		}
		n, ok := parseInt(bytes.TrimPrefix(word, []byte("+")))
		var unit []byte
		unit, text, _ = bytes.Cut(text, []byte(" "))
		switch {
		case !ok:
			return s, false
		case bytes.HasPrefix(unit, []byte("year")):
			s.years = n
		case bytes.HasPrefix(unit, []byte("mon")):
			s.months = n
		case bytes.HasPrefix(unit, []byte("day")):
			s.days = n
		default:
			return s, false
		}
	}
	return s, true
}

// clock reads [-+]hh:mm:ss[.ffffff]; the hours may be many.
func (s *span) clock(word []byte) bool {
	sign := int64(1)
	if word[0] == '-' {
		sign = -1
	}
	hours, rest, _ := bytes.Cut(bytes.TrimLeft(word, "+-"), []byte(":"))
	n, ok := parseInt(hours) // up to 2,562,047,788
	s.hours = sign * n
	in := scanner{rest, ok}
	s.minutes = sign * in.number(2)
	in.want(':')
	s.micros = sign * (in.number(2)*1_000_000 + in.fraction())
	return in.done()
}

// decodeIntervalMicros counts a month as a twelfth of 365.25 days, in the
// floating-point steps that Debezium takes.
func decodeIntervalMicros(text, buf []byte) (Value, []byte, error) {
	s, ok := parseInterval(text)
	if !ok {
		return Value{}, buf, errSyntax
	}
	const daysPerMonth = 365.25 / 12.0
	days := float64(s.years*12+s.months)*daysPerMonth + float64(s.days)
	seconds := float64(s.micros/1_000_000) + float64(s.micros%1_000_000)/1e6
	total := (((days*24+float64(s.hours))*60)+float64(s.minutes))*60 + seconds
	return Value{Type: TypeInt64, Int: javaLong(total * 1e6)}, buf, nil
}

// javaLong is Java's cast to long, which stops at the largest and the smallest.
func javaLong(f float64) int64 {
	switch {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// decodeIntervalISO writes every part, also those that are zero.
func decodeIntervalISO(text, buf []byte) (Value, []byte, error) {
	s, ok := parseInterval(text)
	if !ok {
		return Value{}, buf, errSyntax
	}
	start := len(buf)
	for _, part := range []struct {
		before string
		n      int64
		after  byte
	}{{"P", s.years, 'Y'}, {"", s.months, 'M'}, {"", s.days, 'D'}, {"T", s.hours, 'H'}, {"", s.minutes, 'M'}} {
		buf = append(strconv.AppendInt(append(buf, part.before...), part.n, 10), part.after)
	}
	micros := s.micros
	if micros < 0 {
		buf = append(buf, '-')
		micros = -micros
	}
	buf = strconv.AppendInt(buf, micros/1_000_000, 10)
	buf = append(appendFraction(buf, micros%1_000_000, fractionAsNeeded), 'S')
	return Value{Type: TypeString, Bytes: buf[start:]}, buf, nil
}
