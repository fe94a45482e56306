package observe

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/test/kfaketest"
)

func TestLedger(t *testing.T) {
	t.Parallel()
	l := NewLedger(4)
	for n := range 3 {
		l.Sent(n)
	}
	sent := l.base.Add(time.Duration(l.rows[1].sent.Load()))
	l.Arrived(1, sent.Add(5*time.Millisecond))
	l.Arrived(1, sent.Add(time.Hour)) // a repeat
	l.Arrived(3, sent)                // never sent
	l.Arrived(-1, sent)
	l.Arrived(99, sent)
	if got, want := l.Latencies(0), []time.Duration{5 * time.Millisecond}; !cmp.Equal(got, want) {
		t.Errorf("latencies %v, want %v", got, want)
	}
	if got := l.Latencies(2); len(got) != 0 {
		t.Errorf("latencies %v of rows that have not arrived", got)
	}
	if l.Missing() != 2 || l.Next() != 3 || l.Full(3) || !l.Full(4) {
		t.Errorf("missing %d, next %d, full %t %t, want 2, 3, false, true", l.Missing(), l.Next(), l.Full(3), l.Full(4))
	}
}

func TestLedgerFirstSince(t *testing.T) {
	t.Parallel()
	l := NewLedger(4)
	for n := range 4 {
		l.Sent(n)
	}
	now := time.Now()
	l.Arrived(0, now.Add(1*time.Second))
	l.Arrived(3, now.Add(2*time.Second))
	l.Arrived(2, now.Add(3*time.Second))
	if at, ok := l.FirstSince(1); !ok || at.Sub(now).Round(time.Millisecond) != 2*time.Second {
		t.Errorf("the first of the rows from 1 on arrived %v after now (%t), want 2s", at.Sub(now), ok)
	}
	if _, ok := l.FirstSince(4); ok {
		t.Error("a row that was never sent has arrived")
	}
}

func TestArrivals(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	bootstrap, _ := kfaketest.New(t, 3, []string{"a"})
	ledger := NewLedger(10)
	arrivals, err := NewArrivals(ctx, []string{bootstrap}, "a", ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer arrivals.Close()
	for n := range 10 {
		ledger.Sent(n)
		r := &kgo.Record{Topic: "a", Key: fmt.Append(nil, n)}
		if err := arrivals.client.ProduceSync(ctx, r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	if err := arrivals.Wait(ctx, func(l *Ledger) bool { return l.Missing() == 0 }); err != nil {
		t.Fatal(err)
	}
	if got := len(ledger.Latencies(0)); got != 10 {
		t.Errorf("%d rows have arrived, want 10", got)
	}
	short, cancelShort := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancelShort()
	if err := arrivals.Wait(short, func(*Ledger) bool { return false }); err == nil {
		t.Error("no error when the wait is cut short")
	}
}
