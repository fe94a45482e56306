package dbzconfig

import (
	"slices"
	"strings"
)

// skippedOperations reads skipped.operations as Debezium's validator does: letters of operations between commas, each
// with blanks around it or not, or none alone. ok is false for what Debezium does not start with.
func skippedOperations(value string) (operations []string, ok bool) {
	for _, op := range strings.Split(value, ",") {
		op = javaTrim(op)
		if !slices.Contains([]string{"none", "r", "c", "u", "d", "t"}, op) {
			return nil, false
		}
		operations = append(operations, op)
	}
	none := slices.Contains(operations, "none")
	return operations, !none || !slices.ContainsFunc(operations, func(op string) bool { return op != "none" })
}

// readSkipped refuses to skip inserts, and the rows of snapshots. Skipped updates and deletes are dropped here too.
func (im *importer) readSkipped(_ *Option, s setting) {
	value, resolved := im.logic(s)
	if !resolved {
		return
	}
	operations, ok := skippedOperations(value)
	switch {
	case !ok:
		im.refuse(s.src, nil, "%q: Debezium does not start with it; it takes c, u, d, t, r between commas, in small letters, or none alone", value)
	case slices.Contains(operations, "c"):
		im.refuse(s.src, nil, "it skips inserts, which are all that the router routes")
	case slices.Contains(operations, "r"):
		im.later = append(im.later, func() {
			if !im.noSnapshotWanted() {
				im.refuse(s.src, []string{"snapshot.mode"}, "it skips the rows of snapshots, and the relay's snapshot sends them; set -snapshot.mode=no_data if none is wanted")
			}
		})
	}
}

// skipsUpdates reports whether updates never reach the router.
func (im *importer) skipsUpdates() bool {
	value, err := im.resolve(im.connector.byKey["skipped.operations"], nil)
	operations, ok := skippedOperations(value)
	return err == nil && ok && slices.Contains(operations, "u")
}
