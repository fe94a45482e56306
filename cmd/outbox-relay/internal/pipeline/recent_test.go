package pipeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

func acked(id string, committed int64) *kafka.Message {
	m := &kafka.Message{Committed: committed}
	m.Topic, m.Value = "orders", []byte("never shown")
	m.Headers = []router.Header{{Key: "type", Value: []byte("T")}, {Key: "id", Value: []byte(id)}}
	return m
}

func TestRecentEvents(t *testing.T) {
	t.Parallel()
	var r recent
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	m := acked("first", at.Add(-time.Millisecond).UnixMicro())
	r.note(at.UnixMicro(), []*kafka.Message{m, acked("\xff\x00", 0)})
	copy(m.Headers[1].Value, "again") // the memory is used for another record
	long := "a" + strings.Repeat("é", 31)
	r.note(at.Add(time.Second).UnixMicro(), []*kafka.Message{acked(long+"éé", at.UnixMicro())})
	want := []Event{
		{ID: long, Topic: "orders", Acked: at.Add(time.Second), Delay: time.Second},
		{ID: `\xff00`, Topic: "orders", Acked: at},
		{ID: "first", Topic: "orders", Acked: at, Delay: time.Millisecond},
	}
	if diff := cmp.Diff(want, r.events(), cmpopts.EquateApproxTime(0)); diff != "" {
		t.Error(diff)
	}
}

// In one second only so many events are remembered, the last of each
// acknowledgement, and never more than there is room for.
func TestRecentEventsAreBounded(t *testing.T) {
	t.Parallel()
	var r recent
	var many []*kafka.Message
	for i := range 100 {
		many = append(many, acked(fmt.Sprint(i), 0))
	}
	r.note(5e6, many)
	r.note(5e6+1, many)
	if got := r.events(); len(got) != recentASecond || got[0].ID != "99" {
		t.Errorf("in one second: %d events, the newest %q", len(got), got[0].ID)
	}
	for second := range int64(10) {
		r.note((10+second)*1e6, many)
	}
	if got := r.events(); len(got) != recentEvents || got[0].ID != "99" {
		t.Errorf("in ten seconds: %d events, the newest %q", len(got), got[0].ID)
	}
}

func TestRecentEventsAllocateNothing(t *testing.T) {
	var r recent
	many := []*kafka.Message{acked("a", 1), acked("b", 1), acked("c", 1)}
	now := int64(0)
	if n := testing.AllocsPerRun(100, func() { now += 1e6; r.note(now, many) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRecent(b *testing.B) {
	var r recent
	many := []*kafka.Message{acked("a0000000-0000-4000-8000-000000000000", 1)}
	b.Run("within the budget", func(b *testing.B) {
		b.ReportAllocs()
		for i := range int64(b.N) {
			r.note(i*1e6, many)
		}
	})
	b.Run("beyond it", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			r.note(1, many)
		}
	})
}
