package schema

import "strings"

// DefaultText turns a column default, as pg_get_expr(adbin, adrelid) prints it,
// into the text for Column.Default, or nil for none.
//
// Debezium does not evaluate expressions. A literal is its value; a function
// call such as now() stands for the type's zero, so that a NULL in such a column
// reads as 1970, as zeros or as an empty text; a sequence is no default at all,
// and neither is the default of a type that it does not list.
func DefaultText(col *Column, expr string) *string {
	zero, ok := defaultZeros[col.baseOID()]
	expr = strings.TrimSpace(expr)
	if !ok || expr == "" || strings.HasPrefix(expr, "nextval(") || strings.HasPrefix(strings.ToUpper(expr), "NULL") {
		return nil
	}
	text, literal := literalText(expr)
	switch {
	case !literal:
		text = zero
	case col.baseOID() == oidBool:
		text = text[:1] // t or f, for true and false
	}
	return &text
}

// defaultZeros are the types whose defaults Debezium reads, and what a function
// call comes to.
var defaultZeros = map[uint32]string{
	oidBool: "f", oidText: "", oidVarchar: "", oidBpchar: "", oidXML: "",
	oidInt2: "0", oidInt4: "0", oidInt8: "0", oidFloat4: "0", oidFloat8: "0", oidNumeric: "0",
	oidJSON: "{}", oidJSONB: "{}", oidUUID: "00000000-0000-0000-0000-000000000000",
	oidDate: "1970-01-01", oidTime: "00:00:00",
	oidTimestamp: "1970-01-01 00:00:00", oidTimestamptz: "1970-01-01 00:00:00+00",
}

// baseOID is the column's type, that under a domain if it has one.
func (c *Column) baseOID() uint32 {
	if c.Type != nil && c.Type.Base != nil {
		return c.Type.Base.baseOID()
	}
	return c.TypeOID
}

// literalText reads a constant: a number, true or false, or a quoted text with
// or without a cast behind it.
func literalText(expr string) (text string, ok bool) {
	escapes := strings.HasPrefix(expr, "E'")
	quoted, isQuoted := strings.CutPrefix(strings.TrimPrefix(expr, "E"), "'")
	if !isQuoted {
		bare, _, _ := strings.Cut(strings.Trim(expr, "()"), "::")
		return bare, bare == "true" || bare == "false" || isNumber(bare)
	}
	var b strings.Builder
	for i := 0; i < len(quoted); i++ {
		switch c := quoted[i]; {
		case c == '\'' && i+1 < len(quoted) && quoted[i+1] == '\'', c == '\\' && escapes && i+1 < len(quoted):
			i++
			b.WriteByte(quoted[i])
		case c == '\'':
			rest := quoted[i+1:]
			return b.String(), rest == "" || strings.HasPrefix(rest, "::") && !strings.ContainsAny(rest, "|+*/")
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// isNumber takes what PostgreSQL prints for a numeric constant.
func isNumber(s string) bool {
	_, _, ok := appendDigits(nil, []byte(s))
	return ok
}
