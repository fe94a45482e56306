// Package statuspage is the page that a person sees who opens the relay's address in a browser: what it is doing, in
// words and in pictures, as it changes. It needs nothing from elsewhere, shows no payload and no secret, and costs the
// relay one look a second whether or not somebody watches.
package statuspage

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/buildinfo"
	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
)

// Relay is what the page asks. Its methods are called once a second, from one goroutine, and must not wait.
type Relay interface {
	Present() pipeline.Present
	// Recent returns some of the latest events, newest first.
	Recent() []pipeline.Event
	// Topics returns the acknowledged events of each topic since the start.
	Topics() map[string]uint64
	// Delays returns how many acknowledged events had a known commit time, and the sum of the times in between.
	Delays() (events uint64, sum time.Duration)
}

// Config is what the page shows. Everything must be set.
type Config struct {
	Relay    Relay
	Log      *logging.Recent // warnings and errors
	Build    buildinfo.Info
	Database string // without a password
	Brokers  []string
	Options  []options.Setting // effective values, secrets hidden
	PProf    bool              // profiles are served
}

const (
	// every is how often the relay is looked at.
	every = time.Second
	// maxViewers bounds how many browsers may watch at the same time.
	maxViewers = 16
)

// Page is the page of one relay. Use New, then Run while Handler serves.
type Page struct {
	cfg   Config
	page  *document
	hub   *hub
	began time.Time
	ended atomic.Pointer[ending]
	words atomic.Pointer[Words] // at the last look

	// Run's own.
	past   *past
	rates  *rates
	before totals
	lost   time.Time // when the database was lost; zero while it is there
}

// ending is what the relay ended with.
type ending struct {
	err  error
	code int
}

// totals are the counters at the last look.
type totals struct {
	events  uint64
	delayed uint64
	delays  time.Duration
}

// New makes a page. It starts nothing.
func New(cfg Config) *Page {
	p := &Page{cfg: cfg, page: newDocument(cfg), hub: newHub(maxViewers), began: time.Now(), past: newPast(), rates: newRates()}
	p.words.Store(&Words{Tone: Wait, Title: "Starting."})
	return p
}

// Ended tells the page that the relay has ended, with which error (nil after a stop in good order) and exit code, so
// that it can be the last thing it shows. Call it before Run's context is done.
func (p *Page) Ended(err error, code int) { p.ended.Store(&ending{err, code}) }

// Run looks at the relay every second until ctx is done, then tells those who watch how it ended and lets them go.
func (p *Page) Run(ctx context.Context) {
	defer p.hub.close()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	p.look(time.Now())
	for {
		select {
		case <-ctx.Done():
			p.look(time.Now())
			return
		case now := <-ticker.C:
			p.look(now)
		case <-p.hub.arrived:
			p.show(time.Now(), p.cfg.Relay.Present())
		}
	}
}

// look takes one sample.
func (p *Page) look(now time.Time) {
	v := p.cfg.Relay.Present()
	p.past.add(p.point(now, &v))
	p.show(now, v)
}

// show tells those who watch, if there are any.
func (p *Page) show(now time.Time, v pipeline.Present) {
	p.notice(now, &v)
	words := describe(&v, p.ended.Load(), now, p.lost)
	p.words.Store(&words)
	if p.hub.idle() {
		return
	}
	p.hub.show(func() section { return encode("past", p.past.history()) }, p.sections(&v, words))
}

// notice remembers since when there is no connection: each attempt is a new state to the relay.
func (p *Page) notice(now time.Time, v *pipeline.Present) {
	switch {
	case !disconnected(v):
		p.lost = time.Time{}
	case p.lost.IsZero():
		p.lost = now
	}
}

// point measures the time since the last look.
func (p *Page) point(now time.Time, v *pipeline.Present) point {
	topics := p.cfg.Relay.Topics()
	p.rates.add(now, topics)
	t := totals{events: sum(topics)}
	t.delayed, t.delays = p.cfg.Relay.Delays()
	out := point{at: now, lag: unknown, events: uint32(min(t.events-p.before.events, 1<<31)), ready: v.Ready, retained: unknown}
	if v.Stream == nil || v.Snapshot != nil {
		out.lag = lag(now, v, t.delayed-p.before.delayed, t.delays-p.before.delays)
	}
	if v.Lag != nil {
		out.retained = v.Lag.RetainedBytes
	}
	p.before = t
	return out
}

// lag is how late events are, in microseconds: those that arrived since the last look on average, or the oldest that
// is on its way if that is later.
func lag(now time.Time, v *pipeline.Present, events uint64, delays time.Duration) int64 {
	late := time.Duration(0)
	if events > 0 {
		late = delays / time.Duration(events)
	}
	if !v.Oldest.IsZero() {
		late = max(late, now.Sub(v.Oldest))
	}
	return late.Microseconds()
}

func sum(topics map[string]uint64) uint64 {
	total := uint64(0)
	for _, n := range topics {
		total += n
	}
	return total
}
