package kafka

import "time"

// node is one broker, by its id. Nodes and their links outlive a Run.
type node struct {
	id   int32
	addr string
	link *link // nil until something is sent, and after a failure

	listed bool // the cluster named it when it was last asked

	busy      bool         // a request is in flight
	request   request      // that request
	sentAt    time.Time    // when it was sent
	waiting   []*partition // that have something to send; may hold some that have moved since
	notBefore time.Time    // pause after a failure, or while the broker throttles us
	attempts  int          // failures in a row
}

func (n *node) push(p *partition) {
	p.place = ready
	n.waiting = append(n.waiting, p)
}

// first is the partition whose turn it is, or nil. Entries whose partition went
// elsewhere meanwhile are dropped on the way.
func (n *node) first() *partition {
	for len(n.waiting) > 0 {
		if p := n.waiting[0]; p.place == ready && p.leader == n {
			return p
		}
		n.shift()
	}
	return nil
}

// shift drops the first entry. The list moves down in its array, which stays.
func (n *node) shift() {
	last := len(n.waiting) - 1
	copy(n.waiting, n.waiting[1:])
	n.waiting[last] = nil
	n.waiting = n.waiting[:last]
}
