package judge

import (
	"fmt"
	"strings"
)

// violates names what of a record is not as the row demands; it is empty when all is well.
func violates(r Record, row Committed) string {
	var what []string
	if r.Key != row.Key {
		what = append(what, fmt.Sprintf("key %q, committed %q", r.Key, row.Key))
	}
	if row.Topic != "" && r.Topic != row.Topic {
		what = append(what, fmt.Sprintf("topic %q, want %q", r.Topic, row.Topic))
	}
	if row.Hash != 0 && r.Hash != row.Hash {
		what = append(what, "value is not the committed one")
	}
	return strings.Join(what, "; ")
}

// differs names what of a repeat is not as in the first appearance. A repeat must be in the same partition too, or the
// order per key means nothing.
func differs(r, first Record) string {
	var what []string
	if r.Key != first.Key {
		what = append(what, fmt.Sprintf("key %q, first %q", r.Key, first.Key))
	}
	if r.Topic != first.Topic {
		what = append(what, fmt.Sprintf("topic %q, first %q", r.Topic, first.Topic))
	} else if r.Partition != first.Partition {
		what = append(what, fmt.Sprintf("partition %d, first %d", r.Partition, first.Partition))
	}
	if r.Hash != first.Hash {
		what = append(what, "value is not that of the first appearance")
	}
	return strings.Join(what, "; ")
}
