package pipeline

import (
	"fmt"
	"time"

	"github.com/jackc/pglogrepl"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

// handler is the reader's side of a session: it routes each row and copies the
// record into the flow. The stream calls it from its one goroutine.
type handler struct {
	flow     *flow
	wait     func(room <-chan struct{}) error // while the stream is kept alive
	describe func(*schema.Relation) error
	nameNow  func(oid uint32) (namespace, name string, err error)
	isNamed  func(oid uint32) (bool, error) // by the publication
	slot     string
	router   *router.Router
	after    func(*router.Record) error // behind the router; nil for nothing
	tables   *replication.Filter
	outboxes *outboxes
	trace    Tracer // nil for none
	messages *replication.Prefixes
	exclude  replication.List // column.exclude.list
	missing  []byte           // unavailable.value.placeholder
	metrics  *Metrics
	ignored  ignored
	errors   Errors
	skip     *skipper // nil for nothing
	columns  schema.Columns
	kinds    *kinds

	targets map[*schema.Relation]*target
	last    struct { // the target of the last row: rows come in runs
		rel    *schema.Relation
		target *target
	}
	rec    router.Record
	from   origin // of rec
	kind   uint32 // as above
	letter []byte // a row as JSON

	block *block
	steps []step
	step  step // of the open transaction, since the last publish
	txn   uint64
	begin replication.Begin
	row   int    // rows of the open transaction so far
	open  bool   // between Begin and Commit
	at    uint64 // highest position received

	heart   *heart    // nil without heartbeats
	snap    *progress // nil but in a snapshot
	closed  bool      // nothing more is to be sent
	refused bool
}

// Begin implements replication.Handler.
func (h *handler) Begin(b replication.Begin) error {
	h.txn++
	h.begin, h.row, h.open = b, 0, true
	h.step = step{began: true, committed: b.CommitTime.UnixMicro()}
	return nil
}

// Relation implements replication.Handler.
func (h *handler) Relation(rel *schema.Relation) (bool, error) {
	t, err := h.bind(rel)
	if err != nil {
		return false, err
	}
	// A newer description replaces the older one of the same table.
	for known := range h.targets {
		if known.OID == rel.OID {
			delete(h.targets, known)
		}
	}
	if t != nil {
		h.targets[rel] = t
	}
	return t != nil, nil
}

// bind returns the target of a table's rows, or nil if they are not wanted.
func (h *handler) bind(rel *schema.Relation) (*target, error) {
	if !h.tables.Match(rel.Namespace, rel.Name) {
		return h.stranger(rel)
	}
	h.outboxes.note(rel.OID, rel.Namespace, rel.Name)
	if err := h.describe(rel); err != nil {
		return nil, err
	}
	t := newTarget(rel, h.exclude)
	t.locate(h.columns)
	var err error
	if t.plan, err = h.router.Bind(t.rel); err != nil {
		return nil, h.refuse(configuration("table_columns", fmt.Errorf("%w%s", err, oldShape(h.slot))))
	}
	return t, nil
}

// target returns where rows of the table go.
func (h *handler) target(rel *schema.Relation) *target {
	if rel != h.last.rel {
		h.last.rel, h.last.target = rel, h.targets[rel]
	}
	return h.last.target
}

// Insert implements replication.Handler.
func (h *handler) Insert(rel *schema.Relation, values []schema.Datum) error {
	t := h.target(rel)
	if t.plan == nil {
		return h.passBy(t)
	}
	values = t.view(values, &t.row)
	h.from = origin{target: t, values: values}
	if h.skip != nil {
		if skipped, err := h.skips(text(values, t.idAt)); skipped || err != nil {
			return err
		}
	}
	if err := t.plan.Route(values, time.Now().UnixMilli(), &h.rec); err != nil {
		return h.poison(faultRow, err)
	}
	h.kind = h.kinds.of(text(values, t.kindAt))
	return h.put()
}

// Update implements replication.Handler. As in Debezium a row whose key changed
// is a new event, because the connector takes the change for a DELETE and an
// INSERT; any other UPDATE is against the outbox's rules.
func (h *handler) Update(rel *schema.Relation, before []schema.Datum, full bool, values []schema.Datum) error {
	if !rekeyed(rel, before, full, values) {
		return h.Other(rel, replication.Update)
	}
	t := h.target(rel)
	if t.plan == nil {
		return h.passBy(t)
	}
	values = t.view(t.complete(rel, before, values, h.missing), &t.row)
	h.from = origin{target: t, values: values}
	if h.skip != nil {
		if skipped, err := h.skips(text(values, t.idAt)); skipped || err != nil {
			return err
		}
	}
	if err := t.plan.RouteRekeyed(t.view(before, &t.old), values, time.Now().UnixMilli(), &h.rec); err != nil {
		return h.poison(faultRow, err)
	}
	h.kind = h.kinds.of(text(values, t.kindAt))
	h.metrics.rekeyed.Inc()
	return h.put()
}

// Other implements replication.Handler.
func (h *handler) Other(rel *schema.Relation, op replication.Op) error {
	if h.target(rel).plan == nil {
		return nil // it loses no event, and the table's use is its owner's matter
	}
	h.metrics.ignored.WithLabelValues(op.String()).Inc()
	switch h.router.Action(routerOps[op]) {
	case router.Fail:
		return h.refuse(human("invalid_op", fmt.Errorf("%s of outbox table %s in transaction %s: table.op.invalid.behavior is fatal; the outbox takes only INSERTs", op, rel, h.begin.CommitLSN)))
	case router.DropWarn:
		h.ignored.note(rel, op, h.begin.CommitLSN, false)
	case router.DropError:
		h.ignored.note(rel, op, h.begin.CommitLSN, true)
	}
	return nil
}

// routerOps translates the protocol's operations into the router's.
var routerOps = map[replication.Op]router.Op{
	replication.Update: router.OpUpdate, replication.Delete: router.OpDelete, replication.Truncate: router.OpTruncate,
}

// Commit implements replication.Handler.
func (h *handler) Commit(c replication.Commit) error {
	h.step.end = uint64(c.EndLSN)
	if !h.mergeEmpty() {
		h.steps = append(h.steps, h.step)
	}
	h.step = step{}
	h.open, h.at = false, max(h.at, uint64(c.EndLSN))
	h.skip.stands(h.begin.CommitLSN)
	if h.snap != nil {
		return nil
	}
	h.metrics.transactions.Inc()
	if h.skip != nil && h.skip.LSN != 0 {
		h.skip.passed(c.CommitLSN)
	}
	return h.beat()
}

// mergeEmpty lets an empty transaction that follows a finished one take part in
// that one's step, since servers before 15 send one for every transaction of
// the database. Its number is given back.
func (h *handler) mergeEmpty() bool {
	n := len(h.steps)
	if h.step.added > 0 || !h.step.began || n == 0 || h.steps[n-1].end == 0 {
		return false
	}
	h.steps[n-1].end = h.step.end
	h.txn--
	return true
}

// Keepalive implements replication.Handler.
func (h *handler) Keepalive(end pglogrepl.LSN) error {
	h.publish(false)
	h.flow.pass(uint64(end))
	h.at = max(h.at, uint64(end))
	h.skip.passed(end)
	h.metrics.received.Store(max(h.metrics.received.Load(), uint64(end)))
	return nil
}

// Tick implements replication.Handler.
func (h *handler) Tick() error { return h.beat() }

// Flush implements replication.Handler.
func (h *handler) Flush() { h.publish(false) }

// Confirmed implements replication.Handler.
func (h *handler) Confirmed() pglogrepl.LSN { return pglogrepl.LSN(h.flow.confirmed.Load()) }

// publish makes what was read so far visible to the producer.
func (h *handler) publish(seal bool) {
	if h.step.began || h.step.added > 0 {
		h.steps = append(h.steps, h.step)
		h.step = step{committed: h.step.committed}
	}
	if len(h.steps) == 0 && (h.block == nil || !seal && h.block.used == h.block.published) {
		return
	}
	if last := len(h.steps) - 1; last >= 0 && h.steps[last].end > h.metrics.received.Load() {
		h.metrics.received.Store(h.steps[last].end)
	}
	h.flow.publish(h.steps, h.block, seal)
	h.steps = h.steps[:0]
	if seal {
		h.block = nil
	}
}

// finish hands the rest on and tells the flow that nothing more will come.
func (h *handler) finish() {
	h.closed = true
	h.publish(true)
	h.flow.close()
}

// refuse notes that the handler itself ends a stream that could go on: what came
// before is still to be delivered.
func (h *handler) refuse(err error) error {
	h.refused = true
	return err
}
