// Package offsets decides which WAL position may be confirmed to PostgreSQL:
// the end of the longest run of transactions, in commit order, whose every
// record the broker has acknowledged. It is pure logic: no I/O, no clock, no
// goroutine.
package offsets

import "fmt"

// Tracker follows transactions from Begin to their last acknowledgement.
//
// The caller reports the stream in the order in which it arrives (Begin, Add,
// Commit, Pass) and acknowledgements in any order, also for the transaction that
// is still open. Confirmed then never passes a transaction with a record that is
// not acknowledged, and never stands still because of one that has none.
//
// Every event costs O(1) amortised. Memory is proportional to the closed
// transactions that still wait for an acknowledgement: one that is complete
// hands its end to the one before it and is forgotten, so a single slow
// partition does not make the tracker remember everything sent since.
//
// A Tracker is not safe for concurrent use: the caller locks. Calls that cannot
// happen in a correct program (an acknowledgement of an unknown transaction, a
// Commit without Begin) panic, because confirming a guessed position loses data.
type Tracker struct {
	confirmed uint64 // what Confirmed answers
	last      uint64 // highest end or passed LSN so far, confirmed or not
	begun     uint64 // number of the newest transaction

	open        bool // the newest transaction has no Commit yet
	openAdded   int
	openPending int

	waiting table // closed transactions with unacknowledged records
	unacked int   // records, the open transaction's included
}

// New returns a Tracker that has confirmed start: the slot's
// confirmed_flush_lsn, so that the first status message never moves it back.
func New(start uint64) *Tracker {
	return &Tracker{confirmed: start, last: start, waiting: newTable()}
}

// Begin opens the next transaction and returns its number. Numbers rise by one
// from 1; they have no meaning outside this Tracker.
func (t *Tracker) Begin() uint64 {
	if t.open {
		panic(fmt.Sprintf("offsets: Begin while transaction %d is open", t.begun))
	}
	t.begun++
	t.open, t.openAdded, t.openPending = true, 0, 0
	return t.begun
}

// Add says that n more records belong to the open transaction. It must come
// before the first of them can be acknowledged.
func (t *Tracker) Add(n int) {
	if !t.open || n < 0 {
		panic(fmt.Sprintf("offsets: Add(%d) with open=%v after transaction %d", n, t.open, t.begun))
	}
	t.openAdded += n
	t.openPending += n
	t.unacked += n
}

// Commit closes the open transaction at end, the LSN behind its commit record
// (TransactionEndLSN). A transaction without records, or with all of them
// acknowledged, is complete at once, behind those before it.
func (t *Tracker) Commit(end uint64) {
	if !t.open {
		panic(fmt.Sprintf("offsets: Commit(%X) without Begin after transaction %d", end, t.begun))
	}
	if end < t.last {
		panic(fmt.Sprintf("offsets: transaction %d ends at %X, behind %X", t.begun, end, t.last))
	}
	t.open = false
	t.last = end
	if t.openPending == 0 {
		t.complete(end)
		return
	}
	t.waiting.push(t.begun, end, t.openPending)
}

// Pass reports the WAL end of a keepalive: everything before lsn has been
// received, so it may be confirmed as soon as all of that is acknowledged. It is
// ignored while a transaction is open, and when it is not news.
func (t *Tracker) Pass(lsn uint64) {
	if t.open || lsn <= t.last {
		return
	}
	t.last = lsn
	t.complete(lsn)
}

// complete lets lsn be confirmed together with whatever came before it.
func (t *Tracker) complete(lsn uint64) {
	if !t.waiting.extendNewest(lsn) {
		t.confirmed = lsn
	}
}

// Ack reports that the broker has acknowledged n more records of the
// transaction with the number txn.
func (t *Tracker) Ack(txn uint64, n int) {
	if n <= 0 {
		panic(fmt.Sprintf("offsets: Ack(%d, %d): nothing acknowledged", txn, n))
	}
	if t.open && txn == t.begun {
		if n > t.openPending {
			panic(fmt.Sprintf("offsets: Ack(%d, %d) with %d of %d records unacknowledged", txn, n, t.openPending, t.openAdded))
		}
		t.openPending -= n
		t.unacked -= n
		return
	}
	left := t.waiting.subtract(txn, n)
	t.unacked -= n
	if left > 0 {
		return
	}
	if end, oldest := t.waiting.remove(txn); oldest {
		t.confirmed = end
	}
}

// Confirmed returns the LSN that may be confirmed now. It never falls.
func (t *Tracker) Confirmed() uint64 { return t.confirmed }

// Unacked returns how many records were added and not acknowledged yet.
func (t *Tracker) Unacked() int { return t.unacked }

// Open reports whether a transaction is open.
func (t *Tracker) Open() bool { return t.open }

// Oldest returns the number of the oldest transaction that has unacknowledged
// records; ok is false if there is none.
func (t *Tracker) Oldest() (txn uint64, ok bool) {
	if t.waiting.oldest != 0 {
		return t.waiting.oldest, true
	}
	if t.openPending > 0 && t.open {
		return t.begun, true
	}
	return 0, false
}
