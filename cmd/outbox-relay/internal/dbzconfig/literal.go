package dbzconfig

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/outbox-relay/outbox-relay/schema"
)

var errLiteral = errors.New("the value.literal is a list, a map, a date, null or a number with a fraction to Kafka Connect; write text, a whole number, true or false")

// literalHeader is the bytes of InsertHeader's value. Connect gives the literal a type by its look (Values.parseString):
// true and false are booleans, a whole number has the smallest integer type that holds it, what begins like a number,
// a list or a map may become one, and the rest is text. The cases in which the outcome is not plain to see are errors.
func literalHeader(literal string, converter schema.Converter) ([]byte, error) {
	s, v, err := typed(literal)
	if err != nil {
		return nil, err
	}
	enc, err := converter.Bind(s)
	if err != nil {
		return nil, err
	}
	out, _, err := enc.Encode(v, nil)
	return out, err
}

// typed is the literal with the type that Connect sees in it.
func typed(literal string) (*schema.Schema, schema.Value, error) {
	word := strings.TrimSpace(literal)
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case word == "true" || word == "false":
		v := schema.Value{Type: schema.TypeBoolean}
		if word == "true" {
			v.Int = 1
		}
		return &schema.Schema{Type: v.Type}, v, nil
	case word == "null" || first == '[' || first == '{':
		return nil, schema.Value{}, errLiteral
	case unicode.IsDigit(first) || first == '+' || first == '-':
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, schema.Value{}, errLiteral
		}
		v := schema.Value{Type: integerType(n), Int: n}
		return &schema.Schema{Type: v.Type}, v, nil
	}
	v := schema.Value{Type: schema.TypeString, Bytes: []byte(literal)}
	return &schema.Schema{Type: v.Type}, v, nil
}

// integerType is the smallest type that holds n.
func integerType(n int64) schema.Type {
	switch {
	case n >= math.MinInt8 && n <= math.MaxInt8:
		return schema.TypeInt8
	case n >= math.MinInt16 && n <= math.MaxInt16:
		return schema.TypeInt16
	case n >= math.MinInt32 && n <= math.MaxInt32:
		return schema.TypeInt32
	}
	return schema.TypeInt64
}
