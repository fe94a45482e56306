package pipeline

import (
	"strings"
	"testing"
	"time"
)

// A slot is told after a minute without a reader, once, and again when it has one.
func TestUnreadSlots(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	steps := []struct {
		second  int
		slots   string
		want    string
		changed bool
	}{
		{0, "a b", "", false},
		{30, "a", "", false},
		{40, "a b", "", false},
		{59, "a b", "", false},
		{60, "a b", "a", true},
		{70, "a b", "a", false},
		{100, "a b", "a b", true},
		{110, "b", "b", true},
		{120, "", "", true},
		{130, "a", "", false},
	}
	var u unread
	for _, s := range steps {
		long, changed := u.look(strings.Fields(s.slots), began.Add(time.Duration(s.second)*time.Second))
		if got := strings.Join(long, " "); got != s.want || changed != s.changed {
			t.Errorf("after %d s with %q: told %q, changed %t; want %q, %t", s.second, s.slots, got, changed, s.want, s.changed)
		}
	}
}
