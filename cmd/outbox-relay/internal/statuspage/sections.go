package statuspage

import (
	"encoding/json"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
)

// sections are the parts of the page that change, in the order in which it shows them.
func (p *Page) sections(v *pipeline.Present, w Words) []section {
	lines, total := p.cfg.Log.Lines()
	return []section{
		encode("words", words{w, p.ended.Load() != nil}),
		encode("state", p.state(v)),
		encode("point", sample(p.past.last())),
		encode("topics", p.rates.topics()),
		encode("events", p.cfg.Relay.Recent()),
		encode("log", logged{lines, total}),
	}
}

// encode makes a section. What is given are structs of ours, which always encode.
func encode(name string, value any) section {
	data, err := json.Marshal(value)
	if err != nil {
		panic("statuspage: " + name + ": " + err.Error())
	}
	return section{name, data}
}

type words struct {
	Words
	Final bool `json:"final"` // the relay has ended
}

type logged struct {
	Lines []logging.Line `json:"lines"`
	Total int            `json:"total"` // since the start
}

// sample is a point as the page takes it.
func sample(x point) any {
	return struct {
		At       int64  `json:"at"`
		Lag      int64  `json:"lag"`
		Events   uint32 `json:"events"`
		Retained int64  `json:"retained"`
		Ready    int    `json:"ready"`
	}{x.at.UnixMilli(), x.lag, x.events, x.retained, bit(x.ready)}
}

// state is the figures beside the charts.
type state struct {
	Delivered    uint64     `json:"delivered"` // since the start
	Since        time.Time  `json:"since"`     // the start
	Unacked      int        `json:"unacked"`
	UnackedBytes int        `json:"unacked_bytes"`
	LimitEvents  int        `json:"limit_events"`
	LimitBytes   int        `json:"limit_bytes"`
	Slot         slotState  `json:"slot"`
	Kafka        kafkaState `json:"kafka"`
	ReceivedLSN  string     `json:"received_lsn"`
	ConfirmedLSN string     `json:"confirmed_lsn"`
	SystemID     string     `json:"system_id"`
	Timeline     int32      `json:"timeline"`
	Progress     float64    `json:"progress,omitempty"` // of a snapshot or backlog, from 0 to 1; 0 if there is none
}

type slotState struct {
	State       string `json:"state"`
	WALStatus   string `json:"wal_status"`
	Retained    int64  `json:"retained"`    // bytes, or -1
	Safe        int64  `json:"safe"`        // bytes, or -1 for no limit
	Unreceived  int64  `json:"unreceived"`  // bytes, or -1
	Unconfirmed int64  `json:"unconfirmed"` // bytes, or -1
	Error       string `json:"error,omitempty"`
}

type kafkaState struct {
	Connected bool      `json:"connected"`
	Retrying  time.Time `json:"retrying,omitzero"`
	LastAck   time.Time `json:"last_ack,omitzero"`
	Error     string    `json:"error,omitempty"`
	Requests  int       `json:"requests"`
	InFlight  int       `json:"in_flight"`
	Queued    int       `json:"queued"`
}

func (p *Page) state(v *pipeline.Present) state {
	k := v.Kafka
	s := state{
		Delivered: p.before.events, Since: p.began, Unacked: v.Unacked.Events, UnackedBytes: v.Unacked.Bytes,
		LimitEvents: v.Limits.Records, LimitBytes: v.Limits.Bytes, Slot: slotOf(v),
		Kafka:       kafkaState{k.Connected, k.RetryingSince, k.LastAck, "", k.Requests, k.InFlight, k.Queued},
		ReceivedLSN: v.ReceivedLSN, ConfirmedLSN: v.ConfirmedLSN, SystemID: v.SystemID, Timeline: v.Timeline,
	}
	if v.Brokers != nil {
		s.Kafka.Error = v.KafkaError
	}
	switch {
	case v.Snapshot != nil && v.Snapshot.RowsExpected > 0:
		s.Progress = min(0.99, float64(v.Snapshot.Rows)/float64(v.Snapshot.RowsExpected))
	case v.Backlog != nil:
		s.Progress = v.Backlog.Done
	}
	return s
}

func slotOf(v *pipeline.Present) slotState {
	view := v.SlotView
	s := slotState{State: view.State, WALStatus: view.WALStatus, Retained: unknown, Safe: unknown, Unreceived: unknown, Unconfirmed: unknown}
	if view.SafeBytes != nil {
		s.Safe = *view.SafeBytes
	}
	if v.Lag != nil {
		s.Retained, s.Unreceived, s.Unconfirmed = v.Lag.RetainedBytes, v.Lag.ReceivedBytes, v.Lag.ConfirmedBytes
	}
	if view.Err != nil {
		s.Error = view.Err.Error()
	}
	return s
}
