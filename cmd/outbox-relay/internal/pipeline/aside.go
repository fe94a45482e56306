package pipeline

import (
	"errors"
	"fmt"
	"time"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
	"github.com/outbox-relay/outbox-relay/schema"
)

// Errors says what becomes of events that cannot be relayed.
type Errors struct {
	Aside          bool // errors.tolerance=all: rows that cannot be routed go to the producer's dead-letter topic
	FailUnexpanded bool // a JSON payload that cannot be expanded is such an event
	Skip           Skip
	Unnamed        Unnamed
}

// fault is why no record can be made of an event.
type fault struct {
	reason string // of the problem, for metrics
	letter string // in a dead letter
}

var (
	faultRow       = fault{"row", "ROW_NOT_ROUTABLE"}
	faultMessage   = fault{"message", "MESSAGE_NOT_ROUTABLE"}
	faultTransform = fault{"transform", "TRANSFORM_FAILED"}
	faultPayload   = fault{"payload", "PAYLOAD_NOT_EXPANDABLE"}
)

// origin is what the record at hand is made of: a row, or a message's content.
type origin struct {
	target  *target
	values  []schema.Datum
	content []byte
}

// poison is called for an event of which no record can be made. It goes to the
// dead-letter topic, if there is one and it is the event that is at fault; otherwise
// the relay stops, and says what of which row cannot be relayed, and the way out.
func (h *handler) poison(f fault, err error) error {
	var row *router.RowError
	if h.errors.Aside && (f != faultRow || errors.As(err, &row)) {
		topic := h.rec.Topic
		h.writeLetter()
		h.kind = otherKind
		return h.add(&kafka.Refusal{Stage: kafka.StageRoute, Topic: topic, Partition: -1, Reason: f.letter, Detail: err.Error()})
	}
	if h.snap != nil {
		return h.refuse(human(f.reason, fmt.Errorf("row %d of the snapshot, in %s, cannot be relayed: %w", h.snap.rows+1, h.from.target.rel, err)))
	}
	what := fmt.Sprintf("event %d of transaction %s", h.row+1, h.begin.CommitLSN)
	if h.from.target != nil {
		what = fmt.Sprintf("row %d of transaction %s in %s", h.row+1, h.begin.CommitLSN, h.from.target.rel)
	}
	return h.refuse(human(f.reason, fmt.Errorf("%s cannot be relayed: %w%s", what, err, wayOut(h.slot, uint64(h.begin.CommitLSN), h.skipOptions()))))
}

// writeLetter makes a record of the event itself, for the dead-letter topic: its id
// and key as far as there are any, and the whole row as JSON.
func (h *handler) writeLetter() {
	t := h.from.target
	h.rec = router.Record{Partition: router.ByKey, Timestamp: time.Now().UnixMilli(), Headers: h.rec.Headers[:0]}
	if t == nil {
		h.rec.Value = h.from.content
		return
	}
	h.letter = appendRow(h.letter[:0], t.rel, h.from.values)
	h.rec.Value = h.letter
	if key := text(h.from.values, t.keyAt); key != nil {
		h.rec.Key = key
	}
	if id := text(h.from.values, t.idAt); id != nil {
		h.rec.Headers = append(h.rec.Headers, router.Header{Key: "id", Value: id})
	}
}

// text is a column's value as PostgreSQL writes it, or nil.
func text(values []schema.Datum, at int) []byte {
	if at < 0 || values[at].Kind != schema.Text {
		return nil
	}
	return values[at].Bytes
}

// longestOption bounds an id that is offered as an option, in bytes.
const longestOption = 64

// skipOptions are what skips the event at hand.
func (h *handler) skipOptions() string {
	out := fmt.Sprintf("-skip.lsn '%s#%d'", h.begin.CommitLSN, h.row+1)
	if t := h.from.target; t != nil {
		if id := text(h.from.values, t.idAt); len(id) > 0 && len(id) <= longestOption {
			out += fmt.Sprintf(" -skip.id '%s'", id)
		}
	}
	return out
}

// skips answers whether the event at hand is given up by hand.
func (h *handler) skips(id []byte) (bool, error) {
	ok, err := h.skip.takes(place{h.begin.CommitLSN, h.row + 1}, id)
	if err != nil {
		return false, h.refuse(configuration("skip", err))
	}
	if ok {
		h.row++
	}
	return ok, nil
}

// unexpanded counts a payload that is sent as text although it should have been
// expanded, and refuses it where that is wanted.
func (h *handler) unexpanded() error {
	why := h.rec.Unexpanded.String()
	h.metrics.unexpanded.WithLabelValues(why).Inc()
	if !h.errors.FailUnexpanded {
		return nil
	}
	return fmt.Errorf("the payload cannot be expanded (%s), and expand.json.failure is fail", why)
}
