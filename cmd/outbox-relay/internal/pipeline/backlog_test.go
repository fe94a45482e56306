package pipeline

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// drain is a backlog that is looked at every five seconds.
type drain struct {
	backlog
	out   bytes.Buffer
	clock time.Time
	total uint64
}

func newDrain() *drain {
	d := &drain{clock: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), total: 1000}
	d.backlog.log = zerolog.New(&d.out)
	return d
}

func (d *drain) look(left int64, events uint64) {
	d.clock = d.clock.Add(5 * time.Second)
	d.total += events
	d.backlog.look(d.clock, left, d.total)
}

func TestBacklogIsToldWhileItDrains(t *testing.T) {
	t.Parallel()
	d := newDrain()
	d.look(20<<20, 10)
	if d.view() != nil {
		t.Error("20 MB are called a backlog")
	}
	left := int64(1 << 30)
	d.look(left, 0)
	for range 4 {
		left -= 50 << 20
		d.look(left, 5000)
	}
	b := d.view()
	if b == nil {
		t.Fatal("no backlog")
	}
	if b.Events != 20000 || b.BytesLeft != left || int(b.EventsPerSecond) != 1000 || int64(b.BytesPerSecond) != 10<<20 {
		t.Errorf("got %+v", *b)
	}
	if want := float64(left) / (10 << 20); b.SecondsLeft != want {
		t.Errorf("%v s left, want %v", b.SecondsLeft, want)
	}
	want := `{"level":"info","events":10000,"events_per_second":1000,"wal_bytes_left":968884224,"time_left":"1m32s","message":"catching up"}`
	if got := strings.Split(d.out.String(), "\n")[0]; got != want {
		t.Errorf("logged %s\nwant   %s", got, want)
	}
	d.look(1<<20, 5000)
	if d.view() != nil || !strings.Contains(d.out.String(), `"events":25000,"wal_bytes":1073741824,"took":"25s","events_per_second":1000,"message":"caught up"`) {
		t.Errorf("after the end: %+v, logged %s", d.view(), d.out.String())
	}
}

func TestBacklogThatDoesNotMoveIsNotToldOf(t *testing.T) {
	t.Parallel()
	d := newDrain()
	for i := range 20 {
		d.look(int64(64+i)<<20, 0)
	}
	if b := d.view(); b == nil || b.SecondsLeft != 0 || b.BytesPerSecond >= 0 || d.out.Len() > 0 {
		t.Errorf("got %+v, logged %q", b, d.out.String())
	}
	d.interrupted()
	if d.view() != nil {
		t.Error("a backlog after the session's end")
	}
}

func TestShortBacklogIsNotLogged(t *testing.T) {
	t.Parallel()
	d := newDrain()
	d.look(64<<20, 0)
	d.look(0, 100)
	if d.view() != nil || d.out.Len() > 0 {
		t.Errorf("got %+v, logged %q", d.view(), d.out.String())
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	p, told := newPace(began), 0
	var first time.Duration
	for now := began; now.Before(began.Add(12 * time.Hour)); now = now.Add(time.Second) {
		if p.due(now) {
			if told++; told == 1 {
				first = now.Sub(began)
			}
		}
	}
	if first != 10*time.Second || told < 150 || told > 250 {
		t.Errorf("first after %v, %d times in 12 hours", first, told)
	}
}

func TestRoughly(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]string{1.4: "1s", 125.2: "2m5s", 1000: "17m0s", 40000: "11h0m0s", 1e300: "27778h0m0s"} {
		if got := roughly(seconds); got != want {
			t.Errorf("%v s: %s, want %s", seconds, got, want)
		}
	}
}
