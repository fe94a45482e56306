package schema

import (
	"errors"
	"fmt"
	"math"
)

// What Debezium makes of the infinities, by way of pgjdbc: days, and a number of
// milliseconds that it takes for microseconds. A timestamptz says "infinity" in
// words.
const (
	infinityMicros         = 9223372036825200000
	negativeInfinityMicros = -9223372036832400000
	infinityDays           = -2147472692
	negativeInfinityDays   = -2147472691
)

// errTooFar says that a moment has no number. Debezium would send null, the last
// number there is, or one of the wrong sign.
var errTooFar = errors.New("the timestamp is too far from 1970 for 64 bits")

// unit is what a temporal number counts.
type unit int64

// Microseconds in one of the unit, or (nanos) a special case.
const (
	nanos  unit = 0
	micros unit = 1
	millis unit = 1000
)

// infinite converts the microseconds of an infinity. Nanoseconds do not reach as
// far: Debezium sends the last of them.
func (u unit) infinite(n int64) int64 {
	switch {
	case u != nanos:
		return n / int64(u)
	case n < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// of converts microseconds, rounding down as Debezium's division does.
func (u unit) of(n int64) (int64, bool) {
	if u == nanos {
		return n * 1000, n <= math.MaxInt64/1000 && n >= math.MinInt64/1000
	}
	return floorDiv(n, int64(u)), true
}

// temporalKind is a date or time type under time.precision.mode.
func (o TypeOptions) temporalKind(oid uint32, typmod int32) (kind, error) {
	width := int(typmod)
	if width < 0 || width > 6 {
		width = 6
	}
	switch oid { // the same in every mode
	case oidTimestamptz:
		return kind{schema: named(TypeString, nameZonedTimestamp), decode: decodeZonedTimestamp(width)}, nil
	case oidTimetz:
		return kind{schema: named(TypeString, nameZonedTime), decode: decodeZonedTime}, nil
	}
	switch o.TimePrecision {
	case "", "adaptive":
		return adaptiveKind(oid, width, width), nil
	case "adaptive_time_microseconds":
		return adaptiveKind(oid, width, 6), nil
	case "microseconds":
		return adaptiveKind(oid, 6, 6), nil
	case "nanoseconds":
		return adaptiveKind(oid, 9, 9), nil
	case "connect":
		return connectKind(oid), nil
	case "isostring":
		return isoKind(oid), nil
	}
	return kind{}, fmt.Errorf("-time.precision.mode: %q is none of adaptive, adaptive_time_microseconds, connect, isostring, microseconds, nanoseconds", o.TimePrecision)
}

// adaptiveKind chooses the number by the digits that a second's fraction has.
func adaptiveKind(oid uint32, stampWidth, timeWidth int) kind {
	switch {
	case oid == oidDate:
		return kind{schema: named(TypeInt32, nameDate), decode: decodeDate}
	case oid == oidTimestamp && stampWidth <= 3:
		return kind{schema: named(TypeInt64, NameTimestamp), decode: decodeTimestamp(millis)}
	case oid == oidTimestamp && stampWidth <= 6:
		return kind{schema: named(TypeInt64, NameMicroTimestamp), decode: decodeTimestamp(micros)}
	case oid == oidTimestamp:
		return kind{schema: named(TypeInt64, NameNanoTimestamp), decode: decodeTimestamp(nanos)}
	case timeWidth <= 3:
		return kind{schema: named(TypeInt32, nameTime), decode: decodeTime(TypeInt32, millis)}
	case timeWidth <= 6:
		return kind{schema: named(TypeInt64, nameMicroTime), decode: decodeTime(TypeInt64, micros)}
	}
	return kind{schema: named(TypeInt64, nameNanoTime), decode: decodeTime(TypeInt64, nanos)}
}

// connectKind is Connect's own three types, whose values are java.util.Date.
func connectKind(oid uint32) kind {
	switch oid {
	case oidDate:
		return kind{schema: named(TypeInt32, nameConnectDate), decode: decodeDate}
	case oidTime:
		return kind{schema: named(TypeInt32, nameConnectTime), decode: decodeTime(TypeInt32, millis)}
	}
	return kind{schema: named(TypeInt64, nameConnectStamp), decode: decodeTimestamp(millis)}
}

func isoKind(oid uint32) kind {
	switch oid {
	case oidDate:
		return kind{schema: named(TypeString, "io.debezium.time.IsoDate"), decode: decodeISODate}
	case oidTime:
		return kind{schema: named(TypeString, "io.debezium.time.IsoTime"), decode: decodeISOTime}
	}
	return kind{schema: named(TypeString, "io.debezium.time.IsoTimestamp"), decode: decodeISOTimestamp}
}

func decodeDate(text, buf []byte) (Value, []byte, error) {
	days, ok := parseDate(text)
	if !ok {
		return Value{}, buf, errSyntax
	}
	return Value{Type: TypeInt32, Int: days}, buf, nil
}

func decodeTime(t Type, u unit) decodeFunc {
	return func(text, buf []byte) (Value, []byte, error) {
		s, ok := parseTime(text, false)
		if !ok {
			return Value{}, buf, errSyntax
		}
		n, _ := u.of(s.micros)
		return Value{Type: t, Int: n}, buf, nil
	}
}

func decodeTimestamp(u unit) decodeFunc {
	return func(text, buf []byte) (Value, []byte, error) {
		switch string(text) {
		case "infinity":
			return Value{Type: TypeInt64, Int: u.infinite(infinityMicros)}, buf, nil
		case "-infinity":
			return Value{Type: TypeInt64, Int: u.infinite(negativeInfinityMicros)}, buf, nil
		}
		s, ok := parseTimestamp(text, false)
		if !ok {
			return Value{}, buf, errSyntax
		}
		n, ok := s.in(u)
		if !ok {
			return Value{}, buf, errTooFar
		}
		return Value{Type: TypeInt64, Int: n}, buf, nil
	}
}

// in returns the moment as a number of u since 1970, in UTC.
func (s stamp) in(u unit) (int64, bool) {
	if u == millis { // PostgreSQL's years beyond 294246 fit in no microseconds
		return s.days*86_400_000 + floorDiv(s.micros-s.offset*1_000_000, 1000), true
	}
	const day = 86_400_000_000
	if s.days > math.MaxInt64/day || s.days < math.MinInt64/day {
		return 0, false
	}
	n, more := s.days*day, s.micros-s.offset*1_000_000
	if more > 0 && n > math.MaxInt64-more || more < 0 && n < math.MinInt64-more {
		return 0, false
	}
	return u.of(n + more)
}

// utc moves the moment to UTC and into one day.
func (s stamp) utc() stamp {
	const day = 86_400_000_000
	m := s.micros - s.offset*1_000_000
	over := floorDiv(m, day)
	return stamp{days: s.days + over, micros: m - over*day}
}

// decodeZonedTimestamp writes the moment in UTC with as many digits of fraction
// as the column has.
func decodeZonedTimestamp(width int) decodeFunc {
	return func(text, buf []byte) (Value, []byte, error) {
		if string(text) == "infinity" || string(text) == "-infinity" {
			return Value{Type: TypeString, Bytes: text}, buf, nil
		}
		s, ok := parseTimestamp(text, true)
		if !ok {
			return Value{}, buf, errSyntax
		}
		return isoValue(buf, s.utc(), true, true, width)
	}
}

// decodeZonedTime also moves the time to UTC: the day it falls on is lost.
func decodeZonedTime(text, buf []byte) (Value, []byte, error) {
	s, ok := parseTime(text, true)
	if !ok {
		return Value{}, buf, errSyntax
	}
	return isoValue(buf, s.utc(), false, true, fractionAsNeeded)
}

func decodeISODate(text, buf []byte) (Value, []byte, error) {
	days, ok := parseDate(text)
	if !ok {
		return Value{}, buf, errSyntax
	}
	return isoValue(buf, stamp{days: days}, true, false, 0)
}

func decodeISOTime(text, buf []byte) (Value, []byte, error) {
	s, ok := parseTime(text, false)
	if !ok {
		return Value{}, buf, errSyntax
	}
	return isoValue(buf, s.utc(), false, true, fractionAsNeeded)
}

func decodeISOTimestamp(text, buf []byte) (Value, []byte, error) {
	s, ok := parseTimestamp(text, false)
	switch string(text) {
	case "infinity":
		s, ok = stamp{micros: infinityMicros}, true
	case "-infinity":
		s, ok = stamp{micros: negativeInfinityMicros}, true
	}
	if !ok {
		return Value{}, buf, errSyntax
	}
	return isoValue(buf, s.utc(), true, true, fractionAsNeeded)
}

// isoValue appends the ISO 8601 text of a moment in UTC.
func isoValue(buf []byte, s stamp, date, clock bool, width int) (Value, []byte, error) {
	start := len(buf)
	if date {
		buf = appendDate(buf, s.days)
	}
	if date && clock {
		buf = append(buf, 'T')
	}
	if clock {
		buf = appendClock(buf, s.micros, width)
	}
	buf = append(buf, 'Z')
	return Value{Type: TypeString, Bytes: buf[start:]}, buf, nil
}
