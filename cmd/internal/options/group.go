package options

import (
	"strings"
	"time"
)

// Group is options that belong together in Usage. Its methods declare options; each takes the destination, the
// name, the default and the help text. A word of the help in `backquotes` names the value in Usage, as in package
// flag. Declaring a name twice panics.
type Group struct {
	title   string
	set     *Set
	options []*Option
}

// String declares an option whose value is taken as it is.
func (g *Group) String(dst *string, name, def, help string, attrs ...Attr) {
	declare(g, dst, name, def, def, help, kind[string]{word: "string", parse: parseString}, attrs)
}

// Int declares an option for a whole number.
func (g *Group) Int(dst *int, name string, def int, help string, attrs ...Attr) {
	declare(g, dst, name, def, formatInt(def), help, kind[int]{word: "number", parse: parseInt[int]}, attrs)
}

// Int64 declares an option for a whole number of 64 bits.
func (g *Group) Int64(dst *int64, name string, def int64, help string, attrs ...Attr) {
	declare(g, dst, name, def, formatInt(def), help, kind[int64]{word: "number", parse: parseInt[int64]}, attrs)
}

// Bytes declares an option for an amount of memory in bytes: a plain number, or one with k, M or G behind it,
// which are powers of 1024 as in PostgreSQL's settings (kB, MB, GB and KiB, MiB, GiB mean the same).
func (g *Group) Bytes(dst *int64, name string, def int64, help string, attrs ...Attr) {
	declare(g, dst, name, def, formatBytes(def), help, kind[int64]{word: "bytes", parse: parseBytes}, attrs)
}

// Bool declares an option that is on when given without a value.
func (g *Group) Bool(dst *bool, name string, def bool, help string, attrs ...Attr) {
	declare(g, dst, name, def, formatBool(def), help, kind[bool]{parse: parseBool, bool: true}, attrs)
}

// Duration declares an option for a length of time. It is written as Go writes it (5s, 1m30s), except that a name
// that ends in ".ms" takes a whole number of milliseconds, as Kafka's and Debezium's options of such names do.
func (g *Group) Duration(dst *time.Duration, name string, def time.Duration, help string, attrs ...Attr) {
	if strings.HasSuffix(name, ".ms") {
		k := kind[time.Duration]{word: "milliseconds", parse: parseMillis}
		declare(g, dst, name, def, formatInt(def.Milliseconds()), help, k, attrs)
		return
	}
	k := kind[time.Duration]{word: "duration", parse: parseDuration}
	declare(g, dst, name, def, formatDuration(def), help, k, attrs)
}

// List declares an option for values separated by commas; blanks around them are dropped. As with every option
// the last one given counts, so that a wrapper's list can be replaced.
func (g *Group) List(dst *[]string, name string, def []string, help string, attrs ...Attr) {
	k := kind[[]string]{word: "list", parse: parseList, list: true}
	declare(g, dst, name, def, strings.Join(def, ","), help, k, attrs)
}

// Parsed declares an option of a type of the caller's own, for instance a compiled regular expression. The error
// of parse should say only what is wrong, the option and its source are added. Unlike the other kinds the default
// is a text; parse must accept it.
func Parsed[T any](g *Group, dst *T, name, def, help string, parse func(string) (T, error), attrs ...Attr) {
	v, err := parse(def)
	if err != nil {
		panic("options: the default of " + name + ": " + err.Error())
	}
	declare(g, dst, name, v, def, help, kind[T]{word: "value", parse: parse}, attrs)
}

// declare stores the default and adds the option to its group and set.
func declare[T any](g *Group, dst *T, name string, def T, text, help string, k kind[T], attrs []Attr) {
	if g.set.byName[name] != nil {
		panic("options: " + name + " is declared twice")
	}
	*dst = def
	o := &Option{
		name: name, text: text, def: text, help: help,
		word: k.word, bool: k.bool, list: k.list,
		value: &typed[T]{dst: dst, parse: k.parse},
		show:  func(s string) string { return s },
	}
	for _, attr := range attrs {
		attr(o)
	}
	g.options = append(g.options, o)
	g.set.byName[name] = o
}
