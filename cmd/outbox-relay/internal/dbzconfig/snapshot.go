package dbzconfig

import (
	"regexp"
	"slices"
	"strings"
)

var snapshotModes = []string{"always", "initial", "initial_only", "no_data", "when_needed"}

// readSnapshotMode takes over the modes that the relay has too.
func (im *importer) readSnapshotMode(o *Option, s setting) {
	value, err := im.resolve(s, nil)
	if err != nil {
		im.unresolved(o.flag(), s, err)
		return
	}
	mode, _ := o.normal(value)
	switch old := mode; old {
	case "never":
		mode = "no_data"
		im.notice(s.src, "never is what the mode no_data was called until 2.5; taken for it")
	case "exported":
		mode = "initial"
		im.notice(s.src, "exported is what the mode initial does since 1.6; taken for it")
	case "custom", "configuration_based":
		im.refuse(s.src, []string{o.flag()}, "the mode %s is decided by Java or by options of its own; choose one of %s by -snapshot.mode", mode, strings.Join(snapshotModes, ", "))
		return
	}
	if !slices.Contains(snapshotModes, mode) {
		im.refuse(s.src, []string{o.flag()}, "Debezium has no snapshot mode %q; it has %s", value, strings.Join(snapshotModes, ", "))
		return
	}
	if mode == "always" {
		im.notice(s.src, "on a slot that exists, Debezium streams from the snapshot's position and loses rows that were committed since the slot's and deleted again; the relay streams from the slot's, so that rows which are in both come twice")
	}
	im.setFlag(o.flag(), mode, s.src)
}

// noSnapshotWanted reports whether the configuration takes none.
func (im *importer) noSnapshotWanted() bool {
	mode, _ := im.value("snapshot.mode")
	return mode == "no_data"
}

func (im *importer) readSnapshotTables(o *Option, s setting) {
	im.later = append(im.later, func() {
		if !im.noSnapshotWanted() {
			im.judge(o, s)
		}
	})
}

// orderOnly matches a statement that takes all rows of a table and only orders them.
var orderOnly = regexp.MustCompile(`(?is)^\s*select\s+(?:\w+\.)?\*\s+from\s+[\w."]+(?:\s+(?:as\s+)?\w+)?\s+order\s+by\s+(.+)$`)

// cuts finds words by which an ORDER BY is not the end of it.
var cuts = regexp.MustCompile(`(?i)\b(limit|offset|fetch|for|union|intersect|except)\b`)

// readOverride judges a snapshot's own SELECT for a table. One that leaves rows out or changes them is refused; one
// that orders them is told, because consumers may see the rows of the snapshot in another order.
func (im *importer) readOverride(o *Option, s setting) {
	im.later = append(im.later, func() {
		value, err := im.resolve(s, nil)
		m := orderOnly.FindStringSubmatch(strings.TrimRight(value, "; \t\n"))
		switch {
		case im.noSnapshotWanted():
		case err == nil && m != nil && !cuts.MatchString(m[1]):
			im.notice(s.src, "the snapshot's order is not taken over: the relay sends the rows as PostgreSQL stores them. It matters only where the relay makes the slot; on a slot that exists there is no snapshot")
		default:
			im.refuse(s.src, settles(o), "the snapshot would have other rows than the table's: the relay's has all. Set -snapshot.mode=no_data if none is wanted")
		}
	})
}
