package schema

import (
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// Limits of the JSON reader that Debezium uses (Jackson's defaults).
const (
	maxJSONDepth  = 1000
	maxJSONNumber = 1000 // characters
)

// errJSON says that a text is not JSON, or more than the limits allow.
var errJSON = errors.New("the payload is not JSON")

type nodeKind byte

const (
	nodeNull nodeKind = iota
	nodeBool
	nodeInt    // fits in 32 bits
	nodeLong   // fits in 64 bits
	nodeBig    // an integer that fits in neither
	nodeDouble // has a fraction or an exponent
	nodeString // text
	nodeArray  // items
	nodeObject // names and items
)

// isNumber reports whether the node is one of JSON's numbers.
func (k nodeKind) isNumber() bool { return k >= nodeInt && k <= nodeDouble }

// node is a parsed JSON value.
type node struct {
	kind  nodeKind
	int   int64
	float float64
	text  []byte
	names []string
	items []node
}

// member returns the object's member of that name, or nil.
func (n *node) member(name string) *node {
	for i := range n.names {
		if n.names[i] == name {
			return &n.items[i]
		}
	}
	return nil
}

// jsonReader reads JSON as strictly as Jackson does by default. Text behind the
// first value is ignored, which is Jackson's default, too.
type jsonReader struct {
	text []byte
	at   int
}

func parseJSON(text []byte) (node, error) {
	r := jsonReader{text: text}
	return r.value(0)
}

func (r *jsonReader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// peek returns the next character, 0 at the end.
func (r *jsonReader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *jsonReader) accept(c byte) bool {
	if r.peek() == c && r.at < len(r.text) {
		r.at++
		return true
	}
	return false
}

func (r *jsonReader) value(depth int) (node, error) {
	r.space()
	switch c := r.peek(); {
	case depth > maxJSONDepth:
		return node{}, errJSON
	case c == '{':
		return r.object(depth + 1)
	case c == '[':
		return r.array(depth + 1)
	case c == '"':
		text, err := r.string()
		return node{kind: nodeString, text: text}, err
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	case r.word("true"):
		return node{kind: nodeBool, int: 1}, nil
	case r.word("false"):
		return node{kind: nodeBool}, nil
	case r.word("null"):
		return node{}, nil
	}
	return node{}, errJSON
}

func (r *jsonReader) word(w string) bool {
	end := r.at + len(w)
	if end > len(r.text) || string(r.text[r.at:end]) != w {
		return false
	}
	r.at = end
	return r.delimited()
}

// delimited reports whether a word or number ends here.
func (r *jsonReader) delimited() bool {
	switch r.peek() {
	case 0, ' ', '\t', '\n', '\r', ',', ']', '}', ':':
		return true
	}
	return false
}

func (r *jsonReader) array(depth int) (node, error) {
	r.at++
	n := node{kind: nodeArray}
	if r.space(); r.accept(']') {
		return n, nil
	}
	for {
		item, err := r.value(depth)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
		r.space()
		switch {
		case r.accept(']'):
			return n, nil
		case !r.accept(','):
			return n, errJSON
		}
	}
}

// object keeps a name's first place and its last value.
func (r *jsonReader) object(depth int) (node, error) {
	r.at++
	n := node{kind: nodeObject}
	if r.space(); r.accept('}') {
		return n, nil
	}
	for {
		if r.space(); r.peek() != '"' {
			return n, errJSON
		}
		name, err := r.string()
		if err != nil {
			return n, err
		}
		if r.space(); !r.accept(':') {
			return n, errJSON
		}
		item, err := r.value(depth)
		if err != nil {
			return n, err
		}
		if old := n.member(string(name)); old != nil {
			*old = item
		} else {
			n.names, n.items = append(n.names, string(name)), append(n.items, item)
		}
		r.space()
		switch {
		case r.accept('}'):
			return n, nil
		case !r.accept(','):
			return n, errJSON
		}
	}
}

func (r *jsonReader) number() (node, error) {
	start := r.at
	r.accept('-')
	whole := r.digits()
	if whole == 0 || whole > 1 && r.text[r.at-whole] == '0' {
		return node{}, errJSON
	}
	integer := true
	if r.accept('.') {
		integer = false
		if r.digits() == 0 {
			return node{}, errJSON
		}
	}
	if r.accept('e') || r.accept('E') {
		integer = false
		if !r.accept('+') {
			r.accept('-')
		}
		if r.digits() == 0 {
			return node{}, errJSON
		}
	}
	text := r.text[start:r.at]
	if !r.delimited() || len(text) > maxJSONNumber {
		return node{}, errJSON
	}
	if integer {
		return integerNode(text), nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil && !math.IsInf(f, 0) {
		return node{}, errJSON
	}
	return node{kind: nodeDouble, float: f}, nil
}

func integerNode(text []byte) node {
	n, ok := parseInt(text)
	switch {
	case !ok:
		return node{kind: nodeBig}
	case n == int64(int32(n)):
		return node{kind: nodeInt, int: n}
	}
	return node{kind: nodeLong, int: n}
}

func (r *jsonReader) digits() int {
	start := r.at
	for c := r.peek(); c >= '0' && c <= '9'; c = r.peek() {
		r.at++
	}
	return r.at - start
}

// string reads a quoted string. Without escapes it aliases the text. Half of a
// surrogate pair, which Java's strings can hold, is kept as its three bytes.
func (r *jsonReader) string() ([]byte, error) {
	r.at++
	start := r.at
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return r.text[start : r.at-1 : r.at-1], nil
		case c == '\\':
			return r.escaped(append([]byte(nil), r.text[start:r.at]...))
		case c < 0x20:
			return nil, errJSON
		}
		r.at++
	}
	return nil, errJSON
}

// escaped reads on from the first escape.
func (r *jsonReader) escaped(out []byte) ([]byte, error) {
	for r.at < len(r.text) {
		c := r.text[r.at]
		r.at++
		switch {
		case c == '"':
			return out, nil
		case c < 0x20:
			return nil, errJSON
		case c != '\\':
			out = append(out, c)
			continue
		}
		short := map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
		e := r.peek()
		r.at++
		if plain, ok := short[e]; ok {
			out = append(out, plain)
			continue
		}
		u, ok := r.hex4()
		if e != 'u' || !ok {
			return nil, errJSON
		}
		out = r.appendUnit(out, u)
	}
	return nil, errJSON
}

// appendUnit appends a UTF-16 unit, joined with the escape that follows if they
// are a pair.
func (r *jsonReader) appendUnit(out []byte, u rune) []byte {
	if u >= 0xD800 && u < 0xDC00 && r.at+6 <= len(r.text) && r.text[r.at] == '\\' && r.text[r.at+1] == 'u' {
		before := r.at
		r.at += 2
		if low, ok := r.hex4(); ok && low >= 0xDC00 && low < 0xE000 {
			return utf8.AppendRune(out, 0x10000+(u-0xD800)<<10+(low-0xDC00))
		}
		r.at = before
	}
	if u >= 0xD800 && u < 0xE000 {
		return append(out, 0xE0|byte(u>>12), 0x80|byte(u>>6&0x3F), 0x80|byte(u&0x3F))
	}
	return utf8.AppendRune(out, u)
}

func (r *jsonReader) hex4() (rune, bool) {
	if r.at+4 > len(r.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(r.text[r.at:r.at+4]), 16, 16)
	r.at += 4
	return rune(n), err == nil
}
