package logging_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
)

// clock is a clock that stands until it is moved.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

func TestRepeated(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &clock{time.Unix(1e9, 0)}
	r := logging.NewRepeated(zerolog.New(&out), "connect failed", "connected again", c.now)
	refused := errors.New("refused")

	r.Recovered()     // nothing had failed
	r.Failed(refused) // attempt 1: at once
	for range 29 {
		c.pass(time.Second)
		r.Failed(refused) // attempts 2 to 30: too soon
	}
	c.pass(time.Second)
	r.Failed(errors.New("reset"), func(e *zerolog.Event) { e.Dur("backoff", time.Second) }) // attempt 31: 30 s later
	c.pass(29999 * time.Millisecond)
	r.Failed(refused, func(*zerolog.Event) { t.Error("fields were made for a line that is not written") })
	if got := r.Failing(); got != 32 {
		t.Errorf("failing: got %d, want 32", got)
	}
	c.pass(time.Millisecond)
	r.Recovered()
	r.Recovered() // once is enough
	c.pass(time.Second)
	r.Failed(refused) // a new spell is told at once
	if got := r.Failing(); got != 1 {
		t.Errorf("failing: got %d, want 1", got)
	}

	want := `{"level":"warn","error":"refused","attempt":1,"message":"connect failed"}
{"level":"warn","error":"reset","attempt":31,"failing_for":"30s","backoff":1000,"message":"connect failed"}
{"level":"info","attempts":32,"took":"1m0s","message":"connected again"}
{"level":"warn","error":"refused","attempt":1,"message":"connect failed"}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestHealthyPathDoesNotAllocate(t *testing.T) {
	r := logging.NewRepeated(zerolog.Nop(), "a", "b", time.Now)
	if n := testing.AllocsPerRun(100, r.Recovered); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
