package dbzconfig

import "strings"

// node is a value of a JSON or YAML document with the line it stands in.
type node struct {
	line   int
	kind   kind
	text   string  // of a scalar
	fields []field // of a map, in the order of the document; a name may appear twice
	items  []*node // of a list
}

type field struct {
	name  string
	line  int
	value *node
}

type kind int

const (
	null kind = iota
	scalar
	mapping
	list
)

// get returns the last field of this name, as Java's JSON and YAML readers do, or a null node.
func (n *node) get(name string) *node {
	out := &node{}
	for _, f := range n.fields {
		if f.name == name {
			out = f.value
		}
	}
	return out
}

// at follows a path of names.
func (n *node) at(path ...string) *node {
	for _, name := range path {
		n = n.get(name)
	}
	return n
}

// hasAny reports whether one of the names is a field.
func (n *node) hasAny(names ...string) bool {
	for _, name := range names {
		if n.get(name).kind != null {
			return true
		}
	}
	return false
}

// hasPrefix reports whether a field's name begins with prefix.
func (n *node) hasPrefix(prefix string) bool {
	for _, f := range n.fields {
		if strings.HasPrefix(f.name, prefix) {
			return true
		}
	}
	return false
}

// each calls f for the node and all below it.
func (n *node) each(f func(*node)) {
	f(n)
	for _, x := range n.fields {
		x.value.each(f)
	}
	for _, x := range n.items {
		x.each(f)
	}
}
