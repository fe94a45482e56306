package pipeline

import (
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// Present is all that a relay knows about itself at one moment, for a page that
// shows it to people. It holds no payload and no secret.
type Present struct {
	Status

	Stream      error         // why no events come; nil if they do
	Brokers     error         // why no events go; nil if they do
	Oldest      time.Time     // commit of the oldest unacknowledged event; zero if there is none
	ReadyMaxAge time.Duration // ready.max-age
	Limits      Limits
	Kafka       kafka.Status
	SlotView    SlotView
}

// SlotView is the slot as its catalog shows it.
type SlotView struct {
	State         string // active, inactive, lost or missing; "" if it was not looked up yet
	Reason        string // why it is lost
	WALStatus     string // reserved, extended, unreserved or lost
	RetainedBytes int64
	SafeBytes     *int64    // until it is in danger; nil without max_slot_wal_keep_size
	At            time.Time // of the look
	Err           error     // it could not be looked up; the rest is then empty
	Tables        error     // the publication does not carry the tables as it must
}

// Present tells how the relay is. It does not wait for anything.
func (r *Relay) Present() Present {
	v := r.state.view()
	p := Present{
		Status: r.status(&v), Stream: r.streamReady(&v), Brokers: r.brokerReady(&v), Oldest: v.load.Oldest,
		ReadyMaxAge: r.cfg.ReadyMaxAge, Limits: r.cfg.Limits, Kafka: r.cfg.Producer.Status(),
	}
	if s := r.sample.Load(); s != nil {
		p.SlotView = slotView(s)
	}
	return p
}

func slotView(s *replication.Sample) SlotView {
	v := SlotView{At: s.At, Err: s.Err, Tables: s.Tables}
	if s.Err != nil {
		return v
	}
	v.State = slotState(s)
	v.Reason, _ = s.Slot.Lost()
	if !s.SlotGone {
		v.WALStatus, v.RetainedBytes, v.SafeBytes = s.Slot.WALStatus, s.Retained(), s.Slot.SafeWALSize
	}
	return v
}

// Topics returns how many events of each topic were acknowledged since the start.
func (r *Relay) Topics() map[string]uint64 { return r.cfg.Metrics.perTopic() }

// Delays returns how many events were acknowledged whose commit time is known, and
// the sum of the times in between.
func (r *Relay) Delays() (events uint64, sum time.Duration) { return r.cfg.Metrics.delays.total() }

// Recent returns some of the events that were acknowledged lately, newest first.
func (r *Relay) Recent() []Event { return r.recent.events() }

// watchBacklog looks at what is left after each sample.
func (r *Relay) watchBacklog(s *replication.Sample) {
	if s.Err != nil || s.SlotGone || !r.state.view().streaming {
		r.backlog.interrupted()
		return
	}
	total := uint64(0)
	for _, n := range r.Topics() {
		total += n
	}
	r.backlog.look(s.At, r.receivedLag(s), total)
}

// perTopic reads the counters of events_total.
func (m *Metrics) perTopic() map[string]uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[string]uint64, len(m.topics))
	for name, series := range m.topics {
		var d dto.Metric
		if err := series.acked.Write(&d); err == nil { // a counter's never fails
			out[name] = uint64(d.GetCounter().GetValue())
		}
	}
	return out
}

// total is all that was observed.
func (d *delays) total() (events uint64, sum time.Duration) {
	for i := range d.buckets {
		events += d.buckets[i].Load()
	}
	return events, time.Duration(d.sum.Load()) * time.Microsecond
}
