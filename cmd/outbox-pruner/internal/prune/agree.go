package prune

import (
	"fmt"
	"slices"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/replication"
)

// agree refuses a slot whose reader is seen to read it with other publications than the one that was named.
func (l *look) agree(s Slot) error {
	read := l.slots[s.Name].Publications()
	if read == nil || slices.Contains(read, s.Publication) {
		return nil
	}
	return &replication.Problem{Class: replication.Configuration, Reason: "publication_shape",
		Err: fmt.Errorf("replication slot %q is read with publication %q now, not %q; name that one with -publication.name", s.Name, read, s.Publication)}
}

// unfinished names the slot that marks an unfinished snapshot of a relay, "" if there is none.
func (l *look) unfinished(named []string, database string) string {
	for _, o := range catalog.Others(l.slots, named, database, func(string) bool { return false }) {
		if o.Snapshot {
			return o.Slot
		}
	}
	return ""
}
