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

// pass keeps that a table's rows are passed by.
func (o *outboxes) pass(oid uint32) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.passed == nil {
		o.passed = make(map[uint32]bool)
	}
	o.passed[oid] = true
}

// passes reports whether pass was told of a table.
func (o *outboxes) passes(oid uint32) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.passed[oid]
}

// stranger judges a table that no list names: nil if its rows are nobody's concern,
// otherwise a target without a plan, whose rows go to passBy. The table alone is no
// reason to stop: one that became a partition is announced too, and its rows come as
// its root's.
func (h *handler) stranger(rel *schema.Relation) (*target, error) {
	if h.tables.None {
		return nil, nil // the events are messages, and tables another relay's
	}
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

// Unnamed is table.unnamed.handling.mode: what to do about rows of a published table
// that has the columns of an outbox and that no list names. It may be one that was
// renamed before this process started.
type Unnamed string

// What Unnamed can be.
const (
	UnnamedAuto Unnamed = "auto" // as UnnamedFail if the publication names the table, otherwise as UnnamedWarn
	UnnamedFail Unnamed = "fail" // stop before the first of them
	UnnamedWarn Unnamed = "warn" // tell the first of them, and pass them by
)

// passBy refuses a row of an outbox table that goes by another name now, for dropping
// it would lose it, and judges that of a table which only looks like one.
func (h *handler) passBy(t *target) error {
	if t.moved != nil {
		return h.refuse(configuration("table_renamed", t.moved))
	}
	if h.outboxes.passes(t.rel.OID) {
		return nil
	}
	wanted, err := h.wanted(t.rel.OID)
	if err != nil {
		return err
	}
	if wanted {
		return h.refuse(configuration("table_unnamed", fmt.Errorf("%s has new rows (transaction %s), is published and has the columns of an outbox, but no list names it: "+
			"if it is one, was one under another name, or is a partition that was published under its own (ALTER PUBLICATION … SET (publish_via_partition_root = true)), name it in table.include.list until its rows are relayed; if it is none of this relay's, take it out of the publication, or set table.unnamed.handling.mode to warn", t.rel, h.begin.CommitLSN)))
	}
	h.outboxes.pass(t.rel.OID)
	h.ignored.log.Warn().Stringer("table", t.rel).Stringer("lsn", h.begin.CommitLSN).
		Msg("rows of a published table that has the columns of an outbox are not relayed: no option names it; name it if it is one, perhaps renamed, else take it out of the publication")
	return nil
}

// wanted reports whether to stop before rows of a table that only looks like an outbox.
// A publication that names it does so because somebody wanted its rows, or because it
// was the outbox and has been renamed. One of all tables says nothing.
func (h *handler) wanted(oid uint32) (bool, error) {
	if h.errors.Unnamed == UnnamedAuto {
		return h.isNamed(oid)
	}
	return h.errors.Unnamed == UnnamedFail, nil
}
