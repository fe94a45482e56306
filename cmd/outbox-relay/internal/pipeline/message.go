package pipeline

import (
	"fmt"
	"time"

	"github.com/outbox-relay/outbox-relay/replication"
)

// Message implements replication.Handler: an event that was written without a
// table.
func (h *handler) Message(m replication.Message) error {
	if h.messages == nil || !h.messages.Match(m.Prefix) {
		return nil
	}
	h.from, h.kind = origin{content: m.Content}, otherKind
	if err := h.router.RouteMessage(m.Content, time.Now().UnixMilli(), &h.rec); err != nil {
		if h.skip != nil {
			if skipped, err := h.skips(nil); skipped || err != nil {
				return err
			}
		}
		return h.poison(faultMessage, fmt.Errorf("message %s with the prefix %q: %w; if messages of this prefix are no events, leave it out of message.prefix.include.list", m.LSN, m.Prefix, err))
	}
	if h.skip != nil {
		if skipped, err := h.skips(h.rec.ID()); skipped || err != nil {
			return err
		}
	}
	return h.put()
}
