package pipeline

// ages remembers when the transactions with unacknowledged records were
// committed, oldest first.
type ages struct {
	list []age
	head int
}

type age struct {
	txn       uint64
	committed int64 // microseconds since 1970
}

// push adds a transaction, unless it is the one that was added last.
func (a *ages) push(txn uint64, committed int64) {
	if n := len(a.list); n > a.head && a.list[n-1].txn == txn {
		return
	}
	if a.head > 0 && len(a.list) == cap(a.list) {
		kept := copy(a.list, a.list[a.head:])
		a.list, a.head = a.list[:kept], 0
	}
	a.list = append(a.list, age{txn, committed})
}

// drop forgets the transactions before txn.
func (a *ages) drop(txn uint64) {
	for a.head < len(a.list) && a.list[a.head].txn < txn {
		a.head++
	}
	if a.head == len(a.list) {
		a.clear()
	}
}

func (a *ages) clear() { a.list, a.head = a.list[:0], 0 }

func (a *ages) oldest() (committed int64, ok bool) {
	if a.head == len(a.list) {
		return 0, false
	}
	return a.list[a.head].committed, true
}
