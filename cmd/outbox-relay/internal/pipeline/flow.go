package pipeline

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/outbox-relay/outbox-relay/offsets"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// Limits bound what one relay holds in memory.
type Limits struct {
	Records int // max.queue.size: records read and not yet acknowledged
	Bytes   int // max.queue.size.in.bytes: memory of those records
}

// flow is what the reader and the producer of one session share: records one
// way, acknowledgements the other, and the tracker that turns them into the
// position to confirm. It bounds the memory between the two. It is made anew for
// each session, so that nothing of a lost connection outlives it.
type flow struct {
	limits Limits
	delay  *delays

	ready   chan struct{} // for the producer: records are waiting, or closed
	room    chan struct{} // for the reader: something was acknowledged
	drained chan struct{} // for the reader: closed and everything acknowledged

	confirmed atomic.Uint64

	mu      sync.Mutex
	tracker *offsets.Tracker
	waiting []*block // with records that the producer has not taken, oldest first
	free    []*block
	bytes   int    // cost of the blocks in use
	records int    // published and not acknowledged
	open    uint64 // number of the latest transaction
	closed  bool
	ages    ages
}

func newFlow(start uint64, limits Limits, delay *delays) *flow {
	f := &flow{
		limits: limits, delay: delay, tracker: offsets.New(start),
		ready: make(chan struct{}, 1), room: make(chan struct{}, 1), drained: make(chan struct{}, 1),
	}
	f.confirmed.Store(start)
	return f
}

// signal makes ch readable if it is not.
func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// acquire returns an empty block for a record of size bytes, or nil if the
// limits leave no room now: room then becomes readable.
func (f *flow) acquire(size int) *block {
	size = max(size, blockBytes)
	cost := blockCost(size)
	f.mu.Lock()
	defer f.mu.Unlock()
	// A single record above the limit passes alone, or it would never pass.
	if f.bytes > 0 && (f.bytes+cost > f.limits.Bytes || f.records+blockRecords > max(f.limits.Records, blockRecords)) {
		return nil
	}
	f.bytes += cost
	if n := len(f.free); n > 0 && size == blockBytes {
		b := f.free[n-1]
		f.free = f.free[:n-1]
		return b
	}
	return newBlock(size)
}

// step is what the reader saw of one transaction since it published last.
type step struct {
	began     bool
	committed int64 // commit time, microseconds since 1970
	added     int
	end       uint64 // end of the commit record; 0 while the transaction is open
}

// publish makes everything that the reader put into b visible to the producer,
// together with what it saw of transactions. b may be nil.
func (f *flow) publish(steps []step, b *block, seal bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range steps {
		f.apply(&steps[i])
	}
	if b != nil {
		f.expose(b, seal)
	}
	f.confirmed.Store(f.tracker.Confirmed())
}

func (f *flow) apply(s *step) {
	if s.began {
		f.open = f.tracker.Begin()
	}
	if s.added > 0 {
		f.tracker.Add(s.added)
		f.ages.push(f.open, s.committed)
	}
	if s.end != 0 {
		f.tracker.Commit(s.end)
	}
}

func (f *flow) expose(b *block, seal bool) {
	n := b.used - b.published
	if n > 0 && b.taken == b.published && (len(f.waiting) == 0 || f.waiting[len(f.waiting)-1] != b) {
		f.waiting = append(f.waiting, b)
	}
	b.published = b.used
	b.unacked += n
	f.records += n
	if n > 0 {
		signal(f.ready)
	}
	if seal {
		b.sealed = true
		f.release(b)
	}
}

// release takes a sealed block back when nothing of it is unacknowledged.
func (f *flow) release(b *block) {
	if !b.sealed || b.unacked > 0 {
		return
	}
	f.bytes -= blockCost(cap(b.bytes))
	if cap(b.bytes) == blockBytes {
		b.reset()
		f.free = append(f.free, b)
	}
}

// pass notes that the server has nothing for this slot before lsn that it has
// not sent.
func (f *flow) pass(lsn uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tracker.Pass(lsn)
	f.confirmed.Store(f.tracker.Confirmed())
}

// close tells that nothing more will be published.
func (f *flow) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	signal(f.ready)
	if f.records == 0 {
		signal(f.drained)
	}
}

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
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(done) > 0 {
		run := sameTransaction(done)
		f.tracker.Ack(done[0].Txn, run)
		if done[0].Committed != 0 { // it is a row's, and it is known
			f.delay.observe(now-done[0].Committed, run)
		}
		for _, m := range done[:run] {
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

// load is what a flow holds at one moment.
type load struct {
	Records int
	Bytes   int
	Oldest  time.Time // commit time of the oldest unacknowledged record; zero if there is none
}

func (f *flow) load() load {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := load{Records: f.records}
	if f.records > 0 {
		l.Bytes = f.bytes // else it is one empty block, kept for the next event
	}
	if micros, ok := f.ages.oldest(); ok && f.records > 0 {
		l.Oldest = time.UnixMicro(micros)
	}
	return l
}

var _ kafka.Source = (*flow)(nil)
