package pipeline

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outbox-relay/outbox-relay/router"
)

// Heartbeat is heartbeat.interval.ms and what belongs to it.
type Heartbeat struct {
	Interval time.Duration // least time between two heartbeats; 0 is none
	Record   *router.Heartbeat
	Query    string // heartbeat.action.query, run after each; "" for none
}

// heart is the heartbeats of one session.
type heart struct {
	record   *router.Heartbeat
	interval time.Duration
	next     time.Time // not before this
	beats    prometheus.Counter
	act      func() // nil without a query
}

// startHeart lets the handler send heartbeats, if there are to be any. The
// function it returns ends what runs beside them.
func (r *Relay) startHeart(ctx context.Context, h *handler) (stop func()) {
	b := &r.cfg.Heartbeat
	if b.Interval <= 0 {
		return func() {}
	}
	h.heart = &heart{record: b.Record, interval: b.Interval, next: time.Now().Add(b.Interval), beats: r.cfg.Metrics.heartbeats}
	if b.Query == "" {
		return func() {}
	}
	a := r.newAction()
	h.heart.act = a.beat
	return a.start(ctx)
}

// beat sends a heartbeat if it is time. It goes through the flow like a
// transaction of one record, at the highest position received: with it that
// position is confirmed, after everything before it. Inside a transaction, and
// where the limits leave no room, the next opportunity is waited for.
func (h *handler) beat() error {
	if h.heart == nil || h.open || h.closed {
		return nil
	}
	now := time.Now()
	if now.Before(h.heart.next) {
		return nil
	}
	if err := h.heart.record.Record(now.UnixMilli(), &h.rec); err != nil {
		return h.refuse(configuration("heartbeat", err))
	}
	if h.after != nil { // as all records of Debezium, heartbeats go through the transforms
		if err := h.after(&h.rec); err != nil {
			return h.refuse(configuration("heartbeat", err))
		}
	}
	if !h.room(recordSize(&h.rec)) {
		return nil
	}
	h.heart.next = now.Add(h.heart.interval)
	h.txn++
	m := h.block.add(&h.rec)
	m.Txn, m.LSN, m.Committed, m.Late = h.txn, h.at, 0, false
	h.steps = append(h.steps, step{began: true, committed: now.UnixMicro(), added: 1, end: h.at})
	h.publish(false)
	h.heart.beats.Inc()
	if h.heart.act != nil {
		h.heart.act()
	}
	return nil
}
