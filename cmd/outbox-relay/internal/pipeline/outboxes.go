package pipeline

import (
	"fmt"
	"sync"

	"github.com/outbox-relay/outbox-relay/schema"
)

// outboxes are the tables that this process has known as outbox tables, by OID: a
// table keeps it when it is renamed, and the publication follows the table. They
// outlive a session. The monitor's goroutine adds to them too.
type outboxes struct {
	mu     sync.Mutex
	names  map[uint32]string
	passed map[uint32]bool // tables that only look like one, and were told
}

// note keeps the name under which a table is an outbox table.
func (o *outboxes) note(oid uint32, namespace, name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.names == nil {
		o.names = make(map[uint32]string)
	}
	o.names[oid] = namespace + "." + name
}

// name is what note was told last; "" for another table.
func (o *outboxes) name(oid uint32) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.names[oid]
}

// first reports whether a table was not asked about before.
func (o *outboxes) first(oid uint32) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.passed[oid] {
		return false
	}
	if o.passed == nil {
		o.passed = make(map[uint32]bool)
	}
	o.passed[oid] = true
	return true
}

// stranger judges a table that no list names: nil if its rows are nobody's concern,
// otherwise a target without a plan, whose rows go to passBy. The table alone is no
// reason to stop: one that became a partition is announced too, and its rows come as
// its root's.
func (h *handler) stranger(rel *schema.Relation) (*target, error) {
	namespace, name, err := h.nameNow(rel.OID)
	if err != nil {
		return nil, err
	}
	const advice = "which table.include.list does not name; name it too, until they are relayed (a start that does not name it passes them by)"
	if h.tables.Match(namespace, name) {
		return &target{rel: rel, moved: fmt.Errorf("rows of outbox table %s.%s were written when it was %s, %s", namespace, name, rel, advice)}, nil
	}
	if known := h.outboxes.name(rel.OID); known != "" {
		return &target{rel: rel, moved: fmt.Errorf("outbox table %s is now %s, and has new rows under that name, %s", known, rel, advice)}, nil
	}
	if _, err := h.router.Bind(newTarget(rel, h.exclude).rel); err == nil && !h.tables.Excludes(rel.Namespace, rel.Name) {
		return &target{rel: rel}, nil
	}
	return nil, nil
}

// passBy refuses a row of an outbox table that goes by another name now, for dropping
// it would lose it. A table that only looks like one may have been one before this
// process started, so its first row is told.
func (h *handler) passBy(t *target) error {
	if t.moved != nil {
		return h.refuse(configuration("table_renamed", t.moved))
	}
	if h.outboxes.first(t.rel.OID) {
		h.ignored.log.Warn().Stringer("table", t.rel).Stringer("lsn", h.begin.CommitLSN).
			Msg("rows of a published table that has the columns of an outbox are not relayed: no option names it; name it if it is one, perhaps renamed, else exclude it or take it out of the publication")
	}
	return nil
}
