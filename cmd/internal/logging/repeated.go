package logging

import (
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// every is the pause between two lines about the same failure: often enough to see that it goes on, seldom enough
// that an outage of a day does not fill a disk.
const every = 30 * time.Second

// Repeated logs one kind of failure that is tried again and again: the first one at once, then at most one line in
// 30 s with the number of attempts, and one line when it works again, with how long that took. It is safe for
// concurrent use.
type Repeated struct {
	log       zerolog.Logger
	failed    string
	recovered string
	now       func() time.Time

	mu     sync.Mutex
	count  int       // failures since it last worked
	since  time.Time // when the first of them was
	logged time.Time // when a line was last written
}

// NewRepeated returns a Repeated that writes these two messages. The clock is time.Now outside of tests.
func NewRepeated(log zerolog.Logger, failed, recovered string, now func() time.Time) *Repeated {
	return &Repeated{log: log, failed: failed, recovered: recovered, now: now}
}

// Failed counts a failure and logs it as a warning if it is time. Each of the functions may add fields, for
// instance the time until the next attempt; they are called only if a line is written.
func (r *Repeated) Failed(err error, fields ...func(*zerolog.Event)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	r.count++
	if r.count == 1 {
		r.since = now
	} else if now.Sub(r.logged) < every {
		return
	}
	r.logged = now
	e := r.log.Warn().Err(err).Int("attempt", r.count)
	if r.count > 1 {
		e = e.Str("failing_for", now.Sub(r.since).Round(time.Millisecond).String())
	}
	for _, add := range fields {
		add(e)
	}
	e.Msg(r.failed)
}

// Recovered logs that it works again, if it had failed; otherwise it does nothing and is cheap to call.
func (r *Repeated) Recovered() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == 0 {
		return
	}
	r.log.Info().Int("attempts", r.count).
		Str("took", r.now().Sub(r.since).Round(time.Millisecond).String()).Msg(r.recovered)
	r.count = 0
}

// Failing returns the number of failures since it last worked.
func (r *Repeated) Failing() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}
