package pipeline

import (
	"bytes"
	"sync"
	"unicode/utf8"
)

// Kinds that are no aggregate type.
const (
	noKind    uint32 = iota // of what is no row: heartbeats
	otherKind               // beyond the limit, and what has no type
	firstKind
)

// otherName is the label of otherKind, and of topics beyond the limit.
const otherName = "other"

// kinds numbers the aggregate types, which are the values of route.by.field, in the
// order in which they come. They are data: beyond a limit they count together.
type kinds struct {
	recent [16]knownKind // the reader's alone: found without a lock or a hash of the name

	mu      sync.Mutex
	limit   int
	names   []string
	numbers map[string]uint32
}

func newKinds(limit int) *kinds {
	return &kinds{limit: limit, names: []string{noKind: "", otherKind: otherName}, numbers: make(map[string]uint32)}
}

// knownKind is a name that came lately.
type knownKind struct {
	name []byte
	no   uint32
}

// of is called by the reader alone, for each row.
func (k *kinds) of(name []byte) uint32 {
	if len(name) == 0 {
		return otherKind
	}
	known := &k.recent[(len(name)*5+int(name[0])+3*int(name[len(name)-1]))%len(k.recent)]
	if known.no == noKind || !bytes.Equal(name, known.name) {
		known.name, known.no = append(known.name[:0], name...), k.number(name)
	}
	return known.no
}

func (k *kinds) number(name []byte) uint32 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n, ok := k.numbers[string(name)]; ok {
		return n
	}
	if len(k.names)-int(firstKind) >= k.limit || !presentable(name) {
		return otherKind
	}
	n := uint32(len(k.names))
	k.names = append(k.names, string(name))
	k.numbers[string(name)] = n
	return n
}

// presentable answers whether a name can be a label of its own.
func presentable(name []byte) bool {
	const longest = 249 // as a topic's
	return len(name) > 0 && len(name) <= longest && utf8.Valid(name) && string(name) != otherName
}

// all are the names by their numbers, in memory of the caller's own.
func (k *kinds) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.names...)
}
