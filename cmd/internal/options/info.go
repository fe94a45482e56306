package options

import "slices"

// Info declares an option, for the command line only, that asks for something to be
// printed instead of running. Like -help it is heeded whatever else is wrong or
// missing; see InfoError.
func (g *Group) Info(name, help string) {
	g.Bool(new(bool), name, false, help, commandLineOnly)
	g.set.infos = append(g.set.infos, name)
}

// InfoOf is Info for an option that says which of several things to print. Given
// without a value it means the first.
func (g *Group) InfoOf(name, help string, values ...string) {
	k := kind[string]{parse: parseString, bool: true}
	declare(g, new(string), name, values[0], values[0], help, k, []Attr{commandLineOnly, OneOf(values...)})
	g.set.infos = append(g.set.infos, name)
}

// asked reports whether the last assignment to an option of Info or InfoOf asks for
// it, and for which of its values.
func (o *Option) asked(as []assignment) (value string, ok bool) {
	if len(o.allowed) == 0 {
		return "", last(as, o.name)
	}
	for _, a := range as {
		if a.name == o.name {
			value = a.text
		}
	}
	if value == "true" { // no value was given
		value = o.allowed[0]
	}
	return value, slices.Contains(o.allowed, value)
}
