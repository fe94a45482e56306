package pipeline

import (
	"time"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

var _ kafka.Source = (*flow)(nil)

// Ready implements kafka.Source.
func (f *flow) Ready() <-chan struct{} { return f.ready }

// Closed implements kafka.Source.
func (f *flow) Closed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed && len(f.waiting) == 0
}

// Take implements kafka.Source.
func (f *flow) Take(dst []*kafka.Message) []*kafka.Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	emptied := 0
	for _, b := range f.waiting {
		n := min(b.published-b.taken, cap(dst)-len(dst))
		for i := range n {
			dst = append(dst, &b.messages[b.taken+i])
		}
		b.taken += n
		if b.taken < b.published {
			break
		}
		emptied++
	}
	kept := copy(f.waiting, f.waiting[emptied:])
	clear(f.waiting[kept:])
	f.waiting = f.waiting[:kept]
	if kept > 0 {
		signal(f.ready)
	}
	return dst
}

// Acked implements kafka.Source.
func (f *flow) Acked(done []*kafka.Message) {
	now := time.Now().UnixMicro()
	f.recent.note(now, done)
	if f.spans != nil {
		f.spans.end(done, time.UnixMicro(now))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(done) > 0 {
		run := sameTransaction(done)
		f.tracker.Ack(done[0].Txn, run)
		if done[0].Committed != 0 { // it is a row's, and it is known
			f.delay.observe(now-done[0].Committed, run)
		}
		for _, m := range done[:run] {
			m.Txn = 0 // for census
			b := m.Owner.(*block)
			b.unacked--
			f.release(b)
		}
		f.records -= run
		done = done[run:]
	}
	if oldest, ok := f.tracker.Oldest(); ok {
		f.ages.drop(oldest)
	} else {
		f.ages.clear()
	}
	f.confirmed.Store(f.tracker.Confirmed())
	signal(f.room)
	if f.closed && f.records == 0 {
		signal(f.drained)
	}
}

// sameTransaction counts the leading messages that belong to one transaction.
func sameTransaction(done []*kafka.Message) int {
	n := 1
	for n < len(done) && done[n].Txn == done[0].Txn {
		n++
	}
	return n
}
