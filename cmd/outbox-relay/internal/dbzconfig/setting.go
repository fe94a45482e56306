package dbzconfig

import "strings"

// setting is one key of a configuration with its value.
type setting struct {
	key     string // within its layer: slot.name, also where the file has debezium.source.slot.name
	value   string
	src     Source
	missing string // why the value is not in the file, for instance because a Kubernetes secret has it
}

// layer is a set of settings in the order of their first appearance.
type layer struct {
	keys  []string
	byKey map[string]setting
}

// set stores a setting; a later one of the same key replaces an earlier one.
func (l *layer) set(s setting) {
	if l.byKey == nil {
		l.byKey = map[string]setting{}
	}
	if _, ok := l.byKey[s.key]; !ok {
		l.keys = append(l.keys, s.key)
	}
	l.byKey[s.key] = s
}

// setDefault stores a setting unless the key has one.
func (l *layer) setDefault(s setting) {
	if !l.has(s.key) {
		l.set(s)
	}
}

func (l *layer) get(key string) (setting, bool) {
	s, ok := l.byKey[key]
	return s, ok
}

func (l *layer) has(key string) bool {
	_, ok := l.byKey[key]
	return ok
}

// under returns the settings whose keys begin with the prefix, by what follows it.
func (l *layer) under(prefix string) *layer {
	out := &layer{}
	for _, k := range l.keys {
		if rest, ok := strings.CutPrefix(k, prefix); ok && rest != "" {
			s := l.byKey[k]
			s.key = rest
			out.set(s)
		}
	}
	return out
}

// empty reports whether there is nothing in the layer.
func (l *layer) empty() bool { return len(l.keys) == 0 }
