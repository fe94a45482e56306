package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pglogrepl"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

const (
	// sampleEvery is how often the slot is looked up in the catalog.
	sampleEvery = 5 * time.Second
	// silentAfter is how long a stream may bring nothing before it is not called
	// ready: the server is asked for a sign earlier, and answers at once.
	silentAfter = 8 * time.Second
)

// Watch keeps looking at the slot from outside until ctx is done, for the
// metrics and for readiness.
func (r *Relay) Watch(ctx context.Context) {
	replication.Monitor(ctx, r.cfg.Replication, sampleEvery, func(s replication.Sample) {
		r.sample.Store(&s)
		r.warnSync(s.Sync)
		r.watchBacklog(&s)
		r.tellTables(&s)
		r.tellUnread(&s)
		if s.Err != nil {
			r.log.Debug().Err(s.Err).Msg("slot could not be looked up")
			r.letGo(s.Err)
		}
	})
}

var errShuttingDown = errors.New("PostgreSQL is shutting down and would wait for events that the brokers have not acknowledged")

// letGo ends the session if the server refuses new connections while it still
// streams: that is a fast shutdown, which waits until everything sent is
// confirmed. Without the brokers that would be for ever, and what is not
// confirmed is sent again anyway.
func (r *Relay) letGo(err error) {
	if replication.Reason(err) != "cannot_connect_now" || r.state.view().load.Records == 0 {
		return
	}
	if cancel := r.interrupt.Load(); cancel != nil {
		(*cancel)(errShuttingDown)
	}
}

// warnSync tells once that commits wait for this relay.
func (r *Relay) warnSync(state string) {
	if state == "" || state == "async" || r.syncWarned.Swap(true) {
		return
	}
	r.log.Warn().Str("sync_state", state).Str("application_name", r.cfg.Replication.ApplicationName).
		Msg("PostgreSQL counts the relay as a synchronous standby: commits wait for Kafka; name the real standbys in synchronous_standby_names")
}

// Live implements web.Probe. A relay that can run at all is alive: it mends a
// lost connection by itself, and what it cannot mend ends the process.
func (r *Relay) Live() error { return nil }

// Ready implements web.Probe: it returns nil only while events would flow.
func (r *Relay) Ready() error {
	v := r.state.view()
	errs := []error{r.streamReady(&v), r.standbyReady(), r.brokerReady(&v)}
	if oldest := v.load.Oldest; !oldest.IsZero() {
		if old := time.Since(oldest); old > r.cfg.ReadyMaxAge {
			errs = append(errs, fmt.Errorf("the oldest unacknowledged event was committed %s ago (ready.max-age is %s)", old.Round(time.Millisecond), r.cfg.ReadyMaxAge))
		}
	}
	// A sample from before the stream started may not know the publication that was
	// made for it.
	if s := r.sample.Load(); s != nil && s.Err == nil && s.Tables != nil && s.At.After(v.since) {
		errs = append(errs, fmt.Errorf("new rows may not be relayed: %w", s.Tables))
	}
	return errors.Join(errs...)
}

func (r *Relay) streamReady(v *view) error {
	switch {
	case v.phase == PhaseWaitingForSlot:
		return fmt.Errorf("waiting for replication slot %q, which pid %d (%s) reads", r.cfg.Replication.Slot, v.holderPID, v.holderApp)
	case v.phase == PhaseSnapshot:
		return errors.New("relaying a snapshot; new events follow behind it")
	case !v.streaming && v.lastError != "":
		return fmt.Errorf("not streaming (%s): %s", v.phase, v.lastError)
	case !v.streaming:
		return fmt.Errorf("not streaming (%s)", v.phase)
	}
	if silent := time.Since(v.lastReceived); silent > silentAfter {
		return fmt.Errorf("PostgreSQL has sent nothing for %s", silent.Round(time.Second))
	}
	return nil
}

func (r *Relay) brokerReady(v *view) error {
	s := r.cfg.Producer.Status()
	switch {
	case !s.Connected && s.LastError != "":
		return fmt.Errorf("the brokers are not reachable: %s", s.LastError)
	case !s.Connected:
		return errors.New("no broker is connected")
	case !s.RetryingSince.IsZero() && time.Since(s.RetryingSince) > retryGrace:
		return fmt.Errorf("the brokers have not acknowledged for %s: %s", time.Since(s.RetryingSince).Round(time.Second), s.LastError)
	case v.load.Records > 0 && waiting(v, s.LastAck) > retryGrace:
		return fmt.Errorf("the brokers have acknowledged nothing for %s, and %d events wait%s", waiting(v, s.LastAck).Round(time.Second), v.load.Records, because(s))
	case !s.OldestRequest.IsZero() && time.Since(s.OldestRequest) > retryGrace:
		return fmt.Errorf("a broker has not answered for %s while others do", time.Since(s.OldestRequest).Round(time.Second))
	}
	return nil
}

// because is what keeps being retried, if anything is.
func because(s kafka.Status) string {
	if s.RetryingSince.IsZero() {
		return ""
	}
	return ": " + s.LastError
}

// waiting is how long events have been waiting for any acknowledgement at all.
// While a backlog is worked off they are old, but acknowledgements are not.
func waiting(v *view, lastAck time.Time) time.Duration {
	latest := v.since
	for _, t := range []time.Time{lastAck, v.load.Oldest} {
		if t.After(latest) {
			latest = t
		}
	}
	return time.Since(latest)
}

// retryGrace lets a leader change pass without turning red.
const retryGrace = 5 * time.Second

// Status is what /status shows. It holds no payload and no secret.
type Status struct {
	State         Phase     `json:"state"`
	Since         time.Time `json:"since"`
	Ready         bool      `json:"ready"`
	NotReady      string    `json:"not_ready,omitempty"`
	Slot          string    `json:"slot"`
	Publication   string    `json:"publication"`
	SystemID      string    `json:"system_id,omitempty"`
	Timeline      int32     `json:"timeline,omitempty"`
	ReceivedLSN   string    `json:"received_lsn"`
	ConfirmedLSN  string    `json:"confirmed_lsn"`
	Lag           *Lag      `json:"lag,omitempty"` // absent while the slot cannot be looked up
	Unacked       Unacked   `json:"unacked"`
	LastReceived  time.Time `json:"last_received,omitzero"`
	LastAck       time.Time `json:"last_ack,omitzero"`
	KafkaConnect  bool      `json:"kafka_connected"`
	KafkaError    string    `json:"kafka_error,omitempty"`
	LastError     string    `json:"last_error,omitempty"`
	LastErrorAt   time.Time `json:"last_error_at,omitzero"`
	WaitingForPID int32     `json:"waiting_for_pid,omitempty"`
	WaitingForApp string    `json:"waiting_for_application,omitempty"`
	Snapshot      *Snapshot `json:"snapshot,omitempty"` // absent while none is read
	Backlog       *Backlog  `json:"backlog,omitempty"`  // absent while there is none
}

// Lag is how far the relay is behind the server, in bytes of WAL and seconds.
type Lag struct {
	ReceivedBytes  int64     `json:"received_bytes"`
	ConfirmedBytes int64     `json:"confirmed_bytes"`
	RetainedBytes  int64     `json:"retained_bytes"`
	Seconds        float64   `json:"seconds"` // age of the oldest unacknowledged event
	SampledAt      time.Time `json:"sampled_at"`
}

// Unacked is what is on its way.
type Unacked struct {
	Events int `json:"events"`
	Bytes  int `json:"bytes"`
}

// Status implements web.Probe.
func (r *Relay) Status() any {
	v := r.state.view()
	return r.status(&v)
}

func (r *Relay) status(v *view) Status {
	k := r.cfg.Producer.Status()
	s := Status{
		State: v.phase, Since: v.since, Slot: r.cfg.Replication.Slot, Publication: r.cfg.Replication.Publication,
		SystemID: v.position.SystemID, Timeline: v.position.Timeline,
		ReceivedLSN:  pglogrepl.LSN(r.cfg.Metrics.received.Load()).String(),
		ConfirmedLSN: pglogrepl.LSN(v.confirmed).String(),
		Unacked:      Unacked{v.load.Records, v.load.Bytes},
		LastReceived: v.lastReceived, LastAck: k.LastAck, KafkaConnect: k.Connected, KafkaError: k.LastError,
		LastError: v.lastError, LastErrorAt: v.errorAt, WaitingForPID: v.holderPID, WaitingForApp: v.holderApp,
		Backlog: r.backlog.view(),
	}
	if snapshot := r.progress.Load(); snapshot != nil {
		s.Snapshot = new(snapshot.view())
	}
	if err := r.Ready(); err != nil {
		s.NotReady = err.Error()
	}
	s.Ready = s.NotReady == ""
	if sample := r.sample.Load(); sample != nil && sample.Err == nil && !sample.SlotGone {
		s.Lag = &Lag{r.receivedLag(sample), sample.Unconfirmed(), sample.Retained(), ageSeconds(v.load.Oldest), sample.At}
	}
	return s
}

// receivedLag starts from the slot's position where this process has received
// nothing yet.
func (r *Relay) receivedLag(s *replication.Sample) int64 {
	received := max(r.cfg.Metrics.received.Load(), uint64(s.Slot.ConfirmedFlushLSN))
	return max(0, int64(s.ServerAt)-int64(received))
}
