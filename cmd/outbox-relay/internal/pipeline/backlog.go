package pipeline

import (
	"sync"
	"time"

	"github.com/rs/zerolog"
)

const (
	// backlogFrom is how much WAL must lie before the relay for it to be called a
	// backlog: two of PostgreSQL's segments, more than is on its way at any time.
	backlogFrom = 32 << 20
	// backlogTo is where it has caught up.
	backlogTo = 2 << 20
)

// Backlog is how far the relay has come with WAL that was written before it came.
type Backlog struct {
	Since           time.Time `json:"since"`
	Events          uint64    `json:"events"`            // acknowledged since then
	EventsPerSecond float64   `json:"events_per_second"` // lately, as the next
	BytesPerSecond  float64   `json:"bytes_per_second"`  // by which the rest shrinks: what is written meanwhile counts against it
	BytesLeft       int64     `json:"bytes_left"`
	Done            float64   `json:"done"`                   // of the most that was left, from 0 to 1
	SecondsLeft     float64   `json:"seconds_left,omitempty"` // 0 if it does not shrink
}

// backlog watches samples of what is left, and tells how it goes.
type backlog struct {
	log zerolog.Logger

	mu    sync.Mutex
	now   *Backlog // nil while there is none
	pace  pace
	at    time.Time // of the last look
	total uint64    // events at the last look
	first uint64    // events when it began
	most  int64     // bytes that were left at most
}

// look takes a sample: WAL that was not received, in bytes, and all events so far.
func (b *backlog) look(now time.Time, left int64, total uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.now == nil && left < backlogFrom:
		return
	case b.now == nil:
		b.now = &Backlog{Since: now, BytesLeft: left}
		b.pace, b.first, b.most = newPace(now), total, left
	case left < backlogTo:
		b.caughtUp(now, total)
		return
	default:
		b.advance(now, left, total)
	}
	b.at, b.total = now, total
}

// advance smooths the rates over about half a minute, because WAL comes in lumps.
func (b *backlog) advance(now time.Time, left int64, total uint64) {
	seconds := now.Sub(b.at).Seconds()
	if seconds <= 0 {
		return
	}
	weight := min(1, seconds/30)
	if now.Sub(b.now.Since) < 30*time.Second {
		weight = seconds / now.Sub(b.now.Since).Seconds()
	}
	smooth := func(old, rate float64) float64 { return old + weight*(rate-old) }
	n := b.now
	n.EventsPerSecond = smooth(n.EventsPerSecond, float64(total-b.total)/seconds)
	n.BytesPerSecond = smooth(n.BytesPerSecond, float64(n.BytesLeft-left)/seconds)
	n.Events, n.BytesLeft, n.SecondsLeft = total-b.first, left, 0
	b.most = max(b.most, left)
	n.Done = 1 - float64(left)/float64(b.most)
	if n.BytesPerSecond > 0 {
		n.SecondsLeft = float64(left) / n.BytesPerSecond
	}
	if total > b.total && b.pace.due(now) { // while nothing moves, other lines say why
		e := b.log.Info().Uint64("events", n.Events).Int("events_per_second", int(n.EventsPerSecond)).Int64("wal_bytes_left", left)
		if n.SecondsLeft > 0 {
			e = e.Str("time_left", roughly(n.SecondsLeft))
		}
		e.Msg("catching up")
	}
}

// caughtUp tells only of what took long enough to be noticed.
func (b *backlog) caughtUp(now time.Time, total uint64) {
	took := now.Sub(b.now.Since)
	if took >= 10*time.Second {
		b.log.Info().Uint64("events", total-b.first).Int64("wal_bytes", b.most).Str("took", took.Round(time.Second).String()).
			Int("events_per_second", int(float64(total-b.first)/took.Seconds())).Msg("caught up")
	}
	b.now = nil
}

// interrupted forgets the backlog: the session ended, or nothing is known of it.
func (b *backlog) interrupted() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = nil
}

// view is a copy, nil while there is no backlog.
func (b *backlog) view() *Backlog {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.now == nil {
		return nil
	}
	now := *b.now
	return &now
}

// roughly rounds a time that is an estimate.
func roughly(seconds float64) string {
	d := time.Duration(min(seconds, 1e8) * float64(time.Second)) // three years are long enough
	switch {
	case d > 10*time.Hour:
		return d.Round(time.Hour).String()
	case d > 10*time.Minute:
		return d.Round(time.Minute).String()
	}
	return d.Round(time.Second).String()
}
