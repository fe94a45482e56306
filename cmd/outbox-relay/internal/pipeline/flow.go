package pipeline

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/outbox-relay/outbox-relay/offsets"
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
	recent *recent // nil for none
	spans  *spans  // nil for none

	ready   chan struct{} // for the producer: records are waiting, or closed
	room    chan struct{} // for the reader: something was acknowledged
	drained chan struct{} // for the reader: closed and everything acknowledged

	confirmed atomic.Uint64

	mu      sync.Mutex
	tracker *offsets.Tracker
	waiting []*block // with records that the producer has not taken, oldest first
	free    []*block
	blocks  []*block // in use, in no order
	bytes   int      // cost of the blocks in use
	records int      // published and not acknowledged
	open    uint64   // number of the latest transaction
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
	b := f.empty(size)
	b.at = len(f.blocks)
	f.blocks = append(f.blocks, b)
	return b
}

// empty returns a block that was used before, or a new one.
func (f *flow) empty(size int) *block {
	n := len(f.free)
	if n == 0 || size != blockBytes {
		return newBlock(size)
	}
	b := f.free[n-1]
	f.free = f.free[:n-1]
	return b
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
	last := f.blocks[len(f.blocks)-1]
	f.blocks[b.at], last.at = last, b.at
	f.blocks[len(f.blocks)-1] = nil
	f.blocks = f.blocks[:len(f.blocks)-1]
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
