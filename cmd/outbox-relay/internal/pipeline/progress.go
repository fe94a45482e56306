package pipeline

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// progress counts a snapshot's rows, and tells how it goes.
type progress struct {
	log     zerolog.Logger
	counter prometheus.Counter
	rows    int
	began   time.Time
	logged  time.Time
}

func (r *Relay) newProgress() *progress {
	now := time.Now()
	return &progress{log: r.log, counter: r.cfg.Metrics.snapshotRows, began: now, logged: now}
}

const (
	progressEvery = 10 * time.Second
	// progressRows is how many rows share one look at the clock.
	progressRows = 1024
)

func (p *progress) row() {
	p.rows++
	p.counter.Inc()
	if p.rows%progressRows != 0 {
		return
	}
	if now := time.Now(); now.Sub(p.logged) >= progressEvery {
		p.logged = now
		p.tell("snapshot goes on")
	}
}

// tell logs how many rows were read so far, and how fast.
func (p *progress) tell(message string) {
	took := max(time.Since(p.began), time.Millisecond)
	p.log.Info().Int("rows", p.rows).Str("took", took.Round(time.Millisecond).String()).
		Int("rows_per_second", int(float64(p.rows)/took.Seconds())).Msg(message)
}
