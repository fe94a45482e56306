package pipeline

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"pgregory.net/rapid"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

func testDelays() *delays {
	return newDelays(prometheus.NewDesc("delay_seconds", "Test.", nil, nil))
}

func readable(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// fill puts n records of a transaction into b.
func fill(b *block, txn uint64, n int) {
	for range n {
		m := b.add(&router.Record{Topic: "t", Key: []byte("k"), Value: []byte("v")})
		m.Txn = txn
	}
}

func take(f *flow, n int) []*kafka.Message { return f.Take(make([]*kafka.Message, 0, n)) }

func TestBlockKeepsBytes(t *testing.T) {
	t.Parallel()
	b := newBlock(1 << 10)
	rec := router.Record{
		Topic: "t", Partition: router.ByKey, Key: []byte("key"), Value: []byte{}, Timestamp: 5,
		Headers: []router.Header{{Key: "id", Value: []byte("1")}, {Key: "null"}, {Key: "empty", Value: []byte{}}},
	}
	first := b.add(&rec)
	rec.Key[0], rec.Headers[0].Value[0] = 'X', 'X' // the row's buffer is used again
	second := b.add(&router.Record{Topic: "u"})
	if string(first.Key) != "key" || string(first.Headers[0].Value) != "1" {
		t.Errorf("the copy changed with its source: key %q, id %q", first.Key, first.Headers[0].Value)
	}
	if first.Value == nil || first.Headers[1].Value != nil || first.Headers[2].Value == nil || second.Key != nil || second.Value != nil {
		t.Error("null and empty were mixed up")
	}
	if first.Topic != "t" || first.Timestamp != 5 || first.Partition != router.ByKey {
		t.Errorf("got %+v", first.Record)
	}
}

func TestBlockFits(t *testing.T) {
	t.Parallel()
	b := newBlock(10)
	rec := &router.Record{Value: bytes.Repeat([]byte("x"), 6)}
	if !b.fits(rec, 10) || b.fits(rec, 11) {
		t.Error("a block of 10 bytes takes 10 and no more")
	}
	fill(b, 1, blockRecords)
	if b.fits(&router.Record{}, 0) {
		t.Error("a block with all of its messages used takes no more")
	}
}

func TestFlowHandsOnInOrder(t *testing.T) {
	t.Parallel()
	f := newFlow(100, Limits{Records: 1 << 20, Bytes: 64 << 20}, testDelays())
	a := f.acquire(1)
	fill(a, 1, 3)
	f.publish([]step{{began: true, added: 3, end: 200}}, a, false)
	fill(a, 2, 2)
	f.publish([]step{{began: true, added: 2}}, a, true)
	b := f.acquire(1)
	fill(b, 2, 1)
	f.publish([]step{{added: 1, end: 300}}, b, false)
	if !readable(f.Ready()) {
		t.Error("the producer is not told that records are waiting")
	}
	got := append(take(f, 4), take(f, 4)...)
	var txns []uint64
	for _, m := range got {
		txns = append(txns, m.Txn)
	}
	want := []uint64{1, 1, 1, 2, 2, 2}
	if len(txns) != len(want) || f.load().Records != 6 {
		t.Fatalf("got records of transactions %v, want %v", txns, want)
	}
	f.Acked(got[3:])
	if c := f.confirmed.Load(); c != 100 {
		t.Errorf("confirmed %d while an earlier transaction waits, want 100", c)
	}
	f.Acked(got[:3])
	if c := f.confirmed.Load(); c != 300 {
		t.Errorf("confirmed %d after all was acknowledged, want 300", c)
	}
}

// A keepalive must not confirm over what was published and is not acknowledged
// (pain A01), and must free the WAL of an idle outbox (B01).
func TestFlowKeepalive(t *testing.T) {
	t.Parallel()
	f := newFlow(100, Limits{Records: 1 << 20, Bytes: 64 << 20}, testDelays())
	f.pass(150)
	if c := f.confirmed.Load(); c != 150 {
		t.Errorf("idle: confirmed %d, want the keepalive's 150", c)
	}
	b := f.acquire(1)
	fill(b, 1, 1)
	f.publish([]step{{began: true, added: 1, end: 200}}, b, false)
	f.pass(900)
	if c := f.confirmed.Load(); c != 150 {
		t.Errorf("unacknowledged: confirmed %d, want 150", c)
	}
	f.Acked(take(f, 1))
	if c := f.confirmed.Load(); c != 900 {
		t.Errorf("acknowledged: confirmed %d, want 900", c)
	}
}

func TestFlowLimits(t *testing.T) {
	t.Parallel()
	f := newFlow(1, Limits{Records: blockRecords, Bytes: 2 * blockCost(blockBytes)}, testDelays())
	a := f.acquire(1)
	fill(a, 1, 1)
	f.publish([]step{{began: true, added: 1, end: 2}}, a, true)
	if f.acquire(1) != nil {
		t.Fatal("a block was given although its records would pass max.queue.size")
	}
	f.Acked(take(f, 1))
	if !readable(f.room) {
		t.Error("the reader is not told of the room")
	}
	b := f.acquire(1)
	if b != a {
		t.Error("the acknowledged block was not used again")
	}
	if f.acquire(blockBytes+1) != nil {
		t.Error("a big block was given although the bytes would pass the limit")
	}
}

// A record larger than the whole limit passes when nothing else is held.
func TestFlowOversize(t *testing.T) {
	t.Parallel()
	f := newFlow(1, Limits{Records: blockRecords, Bytes: 1 << 20}, testDelays())
	big := f.acquire(2 << 20)
	if big == nil {
		t.Fatal("a record above the limit can never pass")
	}
	big.add(&router.Record{Value: make([]byte, 2<<20)}).Txn = 1
	f.publish([]step{{began: true, added: 1, end: 2}}, big, true)
	if f.acquire(1) != nil {
		t.Error("another block was given beside it")
	}
	f.Acked(take(f, 1))
	if l := f.load(); l.Bytes != 0 || l.Records != 0 {
		t.Errorf("still holding %+v", l)
	}
}

func TestFlowDrains(t *testing.T) {
	t.Parallel()
	f := newFlow(1, Limits{Records: 1000, Bytes: 1 << 20}, testDelays())
	b := f.acquire(1)
	fill(b, 1, 2)
	f.publish([]step{{began: true, added: 2, end: 2}}, b, true)
	f.close()
	if f.Closed() || readable(f.drained) {
		t.Error("closed or drained with records waiting")
	}
	got := take(f, 2)
	if !f.Closed() || readable(f.drained) {
		t.Error("taken: want closed and not drained")
	}
	f.Acked(got)
	if !readable(f.drained) {
		t.Error("not drained after the last acknowledgement")
	}
}

func TestFlowAges(t *testing.T) {
	t.Parallel()
	f := newFlow(1, Limits{Records: 1 << 20, Bytes: 64 << 20}, testDelays())
	b := f.acquire(1)
	fill(b, 1, 1)
	fill(b, 3, 1)
	f.publish([]step{{began: true, committed: 10, added: 1, end: 2}, {began: true, committed: 20, end: 3}, {began: true, committed: 30, added: 1, end: 4}}, b, false)
	got := take(f, 2)
	for i, want := range []int64{10, 30} {
		if oldest := f.load().Oldest.UnixMicro(); oldest != want {
			t.Errorf("oldest is of %d, want %d", oldest, want)
		}
		f.Acked(got[i : i+1])
	}
	if l := f.load(); !l.Oldest.IsZero() {
		t.Errorf("oldest is of %v although nothing waits", l.Oldest)
	}
}

// TestFlowProperty lets records through in random pieces with acknowledgements
// in random order: none may be lost, repeated or out of order, memory must come
// back, and the confirmed position must never pass an unacknowledged record.
func TestFlowProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		f := newFlow(1, Limits{Records: 4 * blockRecords, Bytes: 8 << 20}, testDelays())
		ends := map[uint64]uint64{}
		var b *block
		var pending []*kafka.Message
		var next, seen, txn uint64
		for range rapid.IntRange(1, 200).Draw(t, "transactions") {
			txn++
			ends[txn] = txn * 10
			part := step{began: true}
			for range rng.IntN(80) {
				if b == nil || !b.fits(&router.Record{}, 8) {
					f.publish([]step{part}, b, true)
					part = step{}
					for b = f.acquire(8); b == nil; b = f.acquire(8) {
						pending = settle(f, rng, pending, &seen)
					}
				}
				m := b.add(&router.Record{})
				m.Txn, m.LSN = txn, next
				next++
				part.added++
			}
			part.end = ends[txn]
			f.publish([]step{part}, b, false)
			pending = settle(f, rng, pending, &seen)
			for _, m := range pending {
				if c := f.confirmed.Load(); c >= ends[m.Txn] {
					t.Fatalf("confirmed %d, but a record of the transaction that ends at %d is not acknowledged", c, ends[m.Txn])
				}
			}
		}
		for f.load().Records > 0 {
			pending = settle(f, rng, pending, &seen)
		}
		if seen != next {
			t.Errorf("%d records came through, want %d", seen, next)
		}
		if c := f.confirmed.Load(); c != txn*10 {
			t.Errorf("confirmed %d in the end, want %d", c, txn*10)
		}
	})
}

// settle takes some records, checks their order, and acknowledges some at random.
func settle(f *flow, rng *rand.Rand, pending []*kafka.Message, seen *uint64) []*kafka.Message {
	for _, m := range take(f, 1+rng.IntN(300)) {
		if m.LSN != *seen {
			panic("records came out of order")
		}
		*seen++
		pending = append(pending, m)
	}
	rng.Shuffle(len(pending), func(i, j int) { pending[i], pending[j] = pending[j], pending[i] })
	n := rng.IntN(len(pending) + 1)
	f.Acked(pending[:n])
	return pending[n:]
}
