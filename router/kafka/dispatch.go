package kafka

import (
	"container/heap"
	"time"
)

// schedule puts a partition where it waits for what it needs next. It is called
// whenever something about the partition has changed, and changes nothing for one
// in flight or already in its leader's list.
func (s *session) schedule(p *partition, now time.Time) {
	if p.place == inFlight || p.place == ready {
		return
	}
	if p.batch.n+p.queue.n == 0 {
		s.timers.remove(p)
		return
	}
	if p.buried > 0 {
		s.timers.remove(p)
		return
	}
	if p.leader == nil {
		s.timers.remove(p)
		s.want(p.topic, now)
		return
	}
	due := p.retryAt
	if p.batch.n == 0 && !s.full(p) {
		due = later(due, p.lingerAt)
	}
	if now.Before(due) {
		s.timers.set(p, due)
		return
	}
	s.timers.remove(p)
	p.leader.push(p)
}

// full answers whether the queue has enough for a batch, so that lingering would
// gain nothing.
func (s *session) full(p *partition) bool {
	return s.cfg.Linger == 0 || p.queue.bytes >= p.topic.maxBatch
}

// expire schedules the partitions whose time has come.
func (s *session) expire(now time.Time) {
	for len(s.timers) > 0 && !now.Before(s.timers[0].due) {
		p := heap.Pop(&s.timers).(*partition)
		p.place = nowhere
		s.schedule(p, now)
	}
}

// dispatch hands a request to each broker that is free and has something waiting.
func (s *session) dispatch(now time.Time) {
	if !s.who.known() || s.rebuild != "" {
		return
	}
	sent := false
	for _, n := range s.nodes {
		if !n.busy && len(n.waiting) > 0 && !now.Before(n.notBefore) {
			s.send(n, now)
			sent = sent || n.busy
		}
	}
	if sent {
		s.rest(now)
	}
}

// rest begins a rest if nothing is waiting behind what was sent just now.
func (s *session) rest(now time.Time) {
	if !s.moreLeft && s.held == s.inFlight() {
		s.gather.begin(now)
	}
}

// inFlight counts the records that brokers have not answered for yet.
func (s *session) inFlight() int {
	records := 0
	for _, n := range s.nodes {
		if n.busy {
			records += n.request.records
		}
	}
	return records
}

// send fills a request with the batches whose turn it is, at most one of each
// partition, and hands it to the broker's sender.
func (s *session) send(n *node, now time.Time) {
	r, limit := &n.request, s.requestCap()
	for p := n.first(); p != nil; p = n.first() {
		if p.batch.n > 0 && !r.fits(p.batch.bytes, limit) {
			break
		}
		if p.batch.n == 0 && !s.cut(p, r, limit, now) {
			break
		}
		n.shift()
		p.place = inFlight
		r.add(p)
		s.obs.Sent(p.topic.name)
	}
	if len(r.parts) == 0 {
		return
	}
	n.busy, n.sentAt = true, now
	s.obs.Attempt(len(r.parts))
	l := s.linkOf(n, now)
	// The broker gives up a little before we do, so that its reason is heard.
	l.requests <- r.produce(s.who, &s.cfg, codecs[s.cfg.CompressionType], s.cfg.RequestTimeout*9/10)
}

// cut moves as many queued messages as fit into the partition's batch and gives
// it its sequence number. It reports false if not even one fits.
func (s *session) cut(p *partition, r *request, limit int, now time.Time) bool {
	if !r.fits(int(p.queue.head.size), limit) {
		return false
	}
	count := noLimit
	if p.maxCount > 0 {
		count = p.maxCount
	}
	for p.queue.n > 0 && p.batch.n < count {
		size := p.batch.bytes + int(p.queue.head.size)
		if p.batch.n > 0 && (size > p.topic.maxBatch || !r.fits(size, limit)) {
			break
		}
		p.batch.push(p.queue.pop())
	}
	p.baseSeq = p.nextSeq
	p.nextSeq = advance(p.baseSeq, p.batch.n)
	p.lingerAt = now.Add(s.cfg.Linger)
	if p.topic.sticky == p.id {
		p.topic.sticky = -1 // the next record without a key goes elsewhere
	}
	return true
}

// uncut puts a batch that the broker refused back into the queue, to be cut
// differently. Its sequence numbers are free again, for the same records.
func (p *partition) uncut() {
	if p.batch.n == 0 {
		return
	}
	p.queue.prepend(&p.batch)
	p.nextSeq = p.baseSeq
}

// linkOf returns the broker's link with its sender running.
func (s *session) linkOf(n *node, now time.Time) *link {
	if l := n.link; l != nil && (l.conn.addr != n.addr || now.Sub(l.lastUsed) > idleLimit) {
		s.dropLink(n)
	}
	if n.link == nil {
		n.link = newLink(n.addr)
	}
	if !n.link.running() {
		n.link.start(&s.cfg, n, s.mail, &s.senders)
	}
	n.link.lastUsed = now
	return n.link
}

// dropLink ends a broker's connection; the next request makes a new one.
func (s *session) dropLink(n *node) {
	l := n.link
	n.link = nil
	if l.running() {
		l.drop()
		return
	}
	l.conn.close() // kept from an earlier Run, with no sender to do it
}
