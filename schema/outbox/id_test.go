package outbox

import (
	"regexp"
	"testing"
	"time"
)

func TestNewID(t *testing.T) {
	t.Parallel()
	// The time of the example in RFC 9562, appendix A.6.
	at := time.Date(2022, 2, 22, 19, 22, 22, 0, time.UTC)
	shape := regexp.MustCompile(`^017f22e2-79b0-7000-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	first, second := newID(at), newID(at)
	if !shape.MatchString(first) || !shape.MatchString(second) {
		t.Errorf("got %s and %s, want %s", first, second, shape)
	}
	if first == second {
		t.Errorf("%s twice", first)
	}
}

func TestIDsRise(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	last := ""
	for range 5000 {
		id := newID(at)
		if id <= last {
			t.Fatalf("%s at %v comes before %s", id, at, last)
		}
		last = id
		at = at.Add(250 * time.Nanosecond) // a little more than a 4096th of a millisecond
	}
	if next := newID(at.Add(time.Hour)); next <= last {
		t.Errorf("%s comes before %s", next, last)
	}
}

func TestNewIDIsOfNow(t *testing.T) {
	t.Parallel()
	before := newID(time.Now().Add(-time.Millisecond))
	id := NewID()
	if after := newID(time.Now().Add(time.Millisecond)); id < before || id > after {
		t.Errorf("%s is not between %s and %s", id, before, after)
	}
}
