package catalog

import (
	"regexp"
	"slices"
	"strings"
)

// Other is a slot that may read the table too and was not named.
type Other struct {
	Slot        string
	Publication string // of its reader, if it reads now and this role may see it
	Certain     bool   // it reads a publication that carries the table
	Snapshot    bool   // it marks a snapshot of a named slot's relay that is not finished
}

// Others finds the logical slots of pgoutput in the database that are not named. Which publication a slot is read with is up to its
// reader, and shows only while there is one; carries tells whether one has the table.
func Others(slots map[string]*Slot, named []string, database string, carries func(publication string) bool) []Other {
	var others []Other
	for name, s := range slots {
		if slices.Contains(named, name) || s.Type != "logical" || s.Database != database || s.Plugin != "pgoutput" {
			continue
		}
		o := Other{Slot: name, Snapshot: slices.ContainsFunc(named, func(n string) bool { return marks(name, n) })}
		publications := s.Publications()
		o.Publication = strings.Join(publications, ", ")
		o.Certain = slices.ContainsFunc(publications, carries)
		if publications == nil || o.Certain || o.Snapshot {
			others = append(others, o)
		}
	}
	slices.SortFunc(others, func(a, b Other) int { return strings.Compare(a.Slot, b.Slot) })
	return others
}

// marks reports whether a slot is the one with which outbox-relay marks that its snapshot is not finished. A long name is
// cut there, and a hash added.
func marks(name, slot string) bool {
	base, ok := strings.CutSuffix(name, "_snapshot")
	const uncut = 54 // 63 less the suffix
	return ok && (base == slot || len(slot) > uncut && len(base) == uncut && strings.HasPrefix(slot, base[:45]))
}

var publicationNames = regexp.MustCompile(`(?i)"?publication_names"?\s+'((?:[^']|'')*)'`)

// Publications are those that the slot's reader asked for; nil if there is no reader or its request is not seen.
func (s *Slot) Publications() []string {
	m := publicationNames.FindStringSubmatch(s.Query)
	if m == nil {
		return nil
	}
	return splitIdentifiers(strings.ReplaceAll(m[1], "''", "'"))
}

// splitIdentifiers splits a list of identifiers as SQL reads them: quoted ones keep their case.
func splitIdentifiers(list string) []string {
	var names []string
	for list = strings.TrimSpace(list); list != ""; {
		var name string
		if strings.HasPrefix(list, `"`) {
			end := 1
			for end < len(list) && (list[end] != '"' || end+1 < len(list) && list[end+1] == '"') {
				if list[end] == '"' {
					end++
				}
				end++
			}
			name = strings.ReplaceAll(list[1:min(end, len(list))], `""`, `"`)
			_, list, _ = strings.Cut(list[min(end+1, len(list)):], ",")
		} else {
			name, list, _ = strings.Cut(list, ",")
			name = strings.ToLower(strings.TrimSpace(name))
		}
		names = append(names, name)
		list = strings.TrimSpace(list)
	}
	return names
}
