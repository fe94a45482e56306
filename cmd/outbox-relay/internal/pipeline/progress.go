package pipeline

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// Snapshot is how far the relay has come with a snapshot.
type Snapshot struct {
	Since         time.Time `json:"since"`
	Rows          int64     `json:"rows"`
	RowsExpected  int64     `json:"rows_expected,omitempty"` // about; 0 if there is no telling
	RowsPerSecond float64   `json:"rows_per_second"`
	SecondsLeft   float64   `json:"seconds_left,omitempty"` // 0 if there is no telling
}

// progress counts a snapshot's rows, and tells how it goes.
type progress struct {
	log      zerolog.Logger
	counter  prometheus.Counter
	expected int64 // about; 0 if there is no telling
	rows     int
	pace     pace
	seen     atomic.Int64 // rows, for other goroutines
}

func (r *Relay) newProgress(expected int64) *progress {
	return &progress{log: r.log, counter: r.cfg.Metrics.snapshotRows, expected: expected, pace: newPace(time.Now())}
}

// progressRows is how many rows share one look at the clock.
const progressRows = 1024

func (p *progress) row() {
	p.rows++
	p.counter.Inc()
	if p.rows%progressRows != 0 {
		return
	}
	p.seen.Store(int64(p.rows))
	if p.pace.due(time.Now()) {
		p.tell("snapshot goes on")
	}
}

// tell logs how many rows were read so far, how fast, and about how long the rest
// takes.
func (p *progress) tell(message string) {
	p.seen.Store(int64(p.rows))
	v := p.view()
	took := max(time.Since(v.Since), time.Millisecond)
	e := p.log.Info().Int64("rows", v.Rows).Str("took", took.Round(time.Millisecond).String()).Int("rows_per_second", int(v.RowsPerSecond))
	if v.SecondsLeft > 0 {
		e = e.Int64("rows_expected", v.RowsExpected).Str("time_left", roughly(v.SecondsLeft))
	}
	e.Msg(message)
}

// view may be called by any goroutine.
func (p *progress) view() Snapshot {
	v := Snapshot{Since: p.pace.began, Rows: p.seen.Load(), RowsExpected: p.expected}
	v.RowsPerSecond = float64(v.Rows) / max(time.Since(v.Since), time.Millisecond).Seconds()
	if left := v.RowsExpected - v.Rows; left > 0 && v.RowsPerSecond > 0 {
		v.SecondsLeft = float64(left) / v.RowsPerSecond
	}
	return v
}
