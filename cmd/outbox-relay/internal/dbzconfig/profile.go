package dbzconfig

import (
	"regexp"
	"slices"
	"strings"
)

var profile = regexp.MustCompile(`^%(?:([\w-]+)|\{([\w, -]+)\})\.`)

// unprofiled drops the Quarkus profile from a key, as in %prod.debezium.sink.type.
func unprofiled(key string) string { return strings.TrimPrefix(key, profile.FindString(key)) }

// production reports whether a key is of the profile in which Debezium Server runs.
func production(key string) bool {
	m := profile.FindStringSubmatch(key)
	return m != nil && slices.ContainsFunc(strings.Split(m[1]+m[2], ","), func(name string) bool { return strings.TrimSpace(name) == "prod" })
}

// profiled returns a file's settings by their keys as MicroProfile Config reads them: parts of a name may be in quotes,
// and within one file a key of the profile prod beats the same key without it, whatever their order.
func (im *importer) profiled(settings []setting) []setting {
	var weak, strong []setting
	for _, s := range settings {
		into := &weak
		if production(s.key) {
			into, s.key = &strong, unprofiled(s.key)
		}
		s.key = strings.ReplaceAll(s.key, `"`, "")
		*into = append(*into, s)
	}
	beaten := func(w setting) bool {
		at := slices.IndexFunc(strong, func(s setting) bool { return s.key == w.key })
		if at >= 0 {
			im.notice(w.src, "%s counts: Debezium Server runs in that profile", strong[at].src)
		}
		return at >= 0
	}
	return append(slices.DeleteFunc(weak, beaten), strong...)
}
