package dbzconfig

import (
	"slices"
	"strings"
)

// Options returns the whole table, scope by scope.
func Options() []Option {
	return slices.Concat(connectorOptions(), connectOptions(), routerOptions(), converterOptions(),
		transformOptions(), producerOptions(), workerOptions(), serverOptions())
}

// registry is the table made ready for look-ups.
type registry struct {
	options []Option
	exact   map[Scope]map[string]*Option
	pattern map[Scope][]*Option // the longest first
}

func newRegistry() *registry {
	r := &registry{options: Options(), exact: map[Scope]map[string]*Option{}, pattern: map[Scope][]*Option{}}
	for i := range r.options {
		o := &r.options[i]
		if strings.HasSuffix(o.Name, "*") {
			r.pattern[o.Scope] = append(r.pattern[o.Scope], o)
			continue
		}
		if r.exact[o.Scope] == nil {
			r.exact[o.Scope] = map[string]*Option{}
		}
		r.exact[o.Scope][o.Name] = o
	}
	for _, options := range r.pattern {
		slices.SortStableFunc(options, func(a, b *Option) int { return len(b.Name) - len(a.Name) })
	}
	return r
}

// find returns the option of the first scope that knows the key, or nil.
func (r *registry) find(key string, scopes ...Scope) *Option {
	for _, scope := range scopes {
		if o := r.exact[scope][key]; o != nil {
			return o
		}
		for _, o := range r.pattern[scope] {
			if o.matches(key) {
				return o
			}
		}
	}
	return nil
}

// names returns the names of a scope that may be suggested, behind a prefix.
func (r *registry) names(scope Scope, prefix string) []string {
	var out []string
	for i := range r.options {
		if o := &r.options[i]; o.Scope == scope && o.Status != Obsolete && !strings.HasSuffix(o.Name, "*") {
			out = append(out, prefix+o.Name)
		}
	}
	return out
}

// rank orders flags as the registry has them.
func (r *registry) rank() map[string]int {
	out := map[string]int{}
	for _, o := range r.options {
		if _, ok := out[o.flag()]; !ok && o.Status == Honored && o.Flag != noFlag && o.Scope != Converter {
			out[o.flag()] = len(out)
		}
	}
	return out
}

// FlagNames returns every flag that Import may set. The command must have all of them.
func FlagNames() []string {
	out := []string{"database.password.file", beatTopicFlag, "publication.publish.updates", "sasl.password"}
	for _, o := range Options() {
		switch {
		case o.Status != Honored || o.Flag == noFlag:
		case o.Scope == Converter:
			for _, side := range sides {
				if side != "header" || !strings.HasPrefix(o.Name, "delegate.") {
					out = append(out, side+".converter."+o.flag())
				}
			}
		default:
			out = append(out, o.flag())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
