package pipeline

import (
	"fmt"
	"time"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// put sends the routed record on.
func (h *handler) put() error {
	if h.rec.Unexpanded != router.Expanded {
		if err := h.unexpanded(); err != nil {
			return h.poison(faultPayload, err)
		}
	}
	if h.after != nil {
		if err := h.after(&h.rec); err != nil {
			return h.poison(faultTransform, fmt.Errorf("transform behind the router: %w", err))
		}
	}
	return h.add(nil)
}

// lateAfter is how old a transaction is that does not come live.
const lateAfter = 250 * time.Millisecond

// add copies the record into the flow. It is a dead letter if refused is not nil.
func (h *handler) add(refused *kafka.Refusal) error {
	var span Span
	if h.trace != nil {
		span = h.trace.Begin(&h.rec, h.step.committed)
	}
	for size := recordSize(&h.rec); !h.room(size); {
		h.metrics.blocked.Inc()
		if err := h.wait(h.flow.room); err != nil {
			return err
		}
	}
	m := h.block.add(&h.rec)
	m.Txn, m.LSN, m.Committed = h.txn, uint64(h.begin.CommitLSN), h.step.committed
	m.Kind, m.Refused, m.Late = h.kind, refused, h.begin.Age > lateAfter
	if span != nil {
		h.flow.spans.begin(m, span)
	}
	h.step.added++
	h.row++
	if h.snap != nil {
		m.Committed = 0 // nobody knows
		h.snap.row()
	}
	return nil
}

// room makes room in a block for the routed record, which takes size bytes: a full
// block is handed on. It reports false while the limits allow no other.
func (h *handler) room(size int) bool {
	if h.block != nil && h.block.fits(&h.rec, size) {
		return true
	}
	h.publish(true)
	h.block = h.flow.acquire(size)
	return h.block != nil
}
