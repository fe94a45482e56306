package schema

import (
	"regexp"
	"strconv"
	"strings"
)

// DefaultText turns a column default, as pg_get_expr(adbin, adrelid) prints it,
// into what Column.Default holds: the value's text or, of a type that is not
// built in, the expression, which Bind reads when the column's Type is known. It
// is nil for no default.
//
// Debezium does not evaluate expressions (PostgresDefaultValueConverter). What
// begins with a function call or is the current time stands for the type's zero,
// so that a NULL in such a column reads as 1970, as zeros or as an empty text.
// Of anything else it takes what stands between the first two quotes, also where
// the second is half of a doubled one, or all of it if there are none: CURRENT_USER
// reads as itself. What the type cannot hold, such as (1 + 1), is no default.
func DefaultText(col *Column, expr string) *string {
	if expr == "" || strings.HasPrefix(expr, "NULL::") {
		return nil
	}
	if col.TypeOID >= firstUserOID {
		return &expr
	}
	rules, ok := defaultRules[col.TypeOID]
	if !ok {
		return nil
	}
	text := rules.zero
	if !isGenerated(expr) {
		if text, ok = literalText(expr); !ok {
			return nil
		}
	}
	if rules.read != nil {
		text, ok = rules.read(text, col)
	}
	if !ok {
		return nil
	}
	return &text
}

// defaultRule is how Debezium reads the defaults of a type.
type defaultRule struct {
	zero string // what a function call comes to
	// read turns a literal into the type's text output. nil takes it as it is:
	// Bind ignores what the type does not take.
	read func(text string, col *Column) (string, bool)
}

// defaultRules are the types whose defaults Debezium reads.
var defaultRules = map[uint32]defaultRule{
	oidText: {}, oidVarchar: {}, oidBpchar: {}, oidXML: {},
	oidJSON: {zero: "{}"}, oidJSONB: {zero: "{}"},
	oidBool: {"f", boolDefault},
	oidInt2: {"0", intDefault(16)}, oidInt4: {"0", intDefault(32)}, oidInt8: {"0", intDefault(64)},
	oidFloat4: {zero: "0"}, oidFloat8: {zero: "0"},
	oidNumeric: {"0.0", numericDefault},
	oidUUID:    {"00000000-0000-0000-0000-000000000000", uuidDefault},
	oidBit:     {"00", bitDefault}, oidVarbit: {"0", bitDefault},
	oidDate: {"1970-01-01", momentDefault}, oidTime: {zero: "00:00:00"},
	oidTimestamp: {"1970-01-01", momentDefault}, oidTimestamptz: {"1970-01-01", momentDefault},
	oidInterval: {zero: "00:00:00"},
}

// functionCall and quotedText work within one line, as Java's dot does, which
// knows these ends of a line.
var (
	functionCall = regexp.MustCompile(`^\(?[A-Za-z0-9_.]+\([^\n\r\x{85}\x{2028}\x{2029}]*\)`)
	quotedText   = regexp.MustCompile(`'([^'\n\r\x{85}\x{2028}\x{2029}]*)'`)
)

// isGenerated reports whether Debezium takes an expression for one that makes a
// value of its own for each row.
func isGenerated(expr string) bool {
	switch strings.ToLower(expr) {
	case "current_timestamp", "current_time", "current_date", "localtime", "localtimestamp":
		return true
	}
	return functionCall.MatchString(expr)
}

// literalText is the first piece between two quotes on one line, or everything
// if there is no quote.
func literalText(expr string) (text string, ok bool) {
	if !strings.Contains(expr, "'") {
		return expr, true
	}
	m := quotedText.FindStringSubmatch(expr)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// enumDefault is the default of an enum: a constant and nothing else. Debezium
// leaves a doubled quote in it doubled.
func enumDefault(expr string) (text string, ok bool) {
	cast := strings.LastIndex(expr, "::")
	if cast < 2 || expr[0] != '\'' || expr[cast-1] != '\'' {
		return "", false
	}
	return expr[1 : cast-1], true
}

// defaultValue is the text that NULL reads as, from which Bind makes a value.
func (c *Column) defaultValue() (text string, ok bool) {
	switch {
	case c.Default == nil:
		return "", false
	case c.TypeOID < firstUserOID:
		return *c.Default, true
	case c.Type != nil && c.Type.Kind == 'e':
		return enumDefault(*c.Default)
	}
	return "", false // of a domain or an extension's type Debezium reads none
}

// boolDefault takes everything but the word true for false.
func boolDefault(text string, _ *Column) (string, bool) {
	if strings.EqualFold(text, "true") {
		return "t", true
	}
	return "f", true
}

func intDefault(bits int) func(string, *Column) (string, bool) {
	return func(text string, _ *Column) (string, bool) {
		_, err := strconv.ParseInt(text, 10, bits)
		return text, err == nil
	}
}

// numericDefault brings a number to the column's scale, if that loses nothing.
func numericDefault(text string, col *Column) (string, bool) {
	_, have, ok := appendDigits(nil, []byte(text))
	if !ok || col.TypeMod < 4 {
		return text, ok
	}
	for _, scale := precisionAndScale(col.TypeMod); have > scale; have-- {
		if text[len(text)-1] != '0' {
			return "", false
		}
		text = text[:len(text)-1]
	}
	return strings.TrimSuffix(text, "."), true
}

var uuidForm = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// uuidDefault prints a UUID in small letters, as Java does.
func uuidDefault(text string, _ *Column) (string, bool) {
	return strings.ToLower(text), uuidForm.MatchString(text)
}

// bitDefault reads any sign but 1 as a 0. Of a single bit it makes a boolean: is
// the text a binary number other than 0?
func bitDefault(text string, col *Column) (string, bool) {
	if col.TypeMod == 1 {
		n, err := strconv.ParseInt(text, 2, 32)
		return strconv.Itoa(min(int(n), 1)), err == nil && n >= 0
	}
	bits := []byte(text)
	for i, c := range bits {
		if c != '1' {
			bits[i] = '0'
		}
	}
	return string(bits), true
}

// momentDefault reads a date or a moment for a column of the one or the other
// type, with a time zone or without.
func momentDefault(text string, col *Column) (string, bool) {
	if text == "infinity" || text == "-infinity" { // of a timestamptz Debezium cannot read it
		return text, col.TypeOID != oidTimestamptz
	}
	in := scanner{[]byte(text), true}
	s := stamp{days: in.date()}
	if in.skip(' ') {
		s.micros = in.clock()
		if len(in.text) > 0 {
			s.offset = in.zone()
		}
	}
	if col.TypeOID == oidDate {
		s.micros, s.offset = 0, 0 // the date where the zone is, not in UTC
	}
	return s.utc().defaultText(col.TypeOID), in.done()
}

// defaultText is the text that PostgreSQL prints for a moment in UTC.
func (s stamp) defaultText(oid uint32) string {
	year, month, day := civil(s.days)
	era := ""
	if year < 1 {
		year, era = 1-year, " BC"
	}
	b := appendPadded(nil, year, 4)
	b = appendPadded(append(b, '-'), month, 2)
	b = appendPadded(append(b, '-'), day, 2)
	if oid != oidDate {
		b = appendClock(append(b, ' '), s.micros, fractionAsNeeded)
	}
	if oid == oidTimestamptz {
		b = append(b, "+00"...)
	}
	return string(b) + era
}
