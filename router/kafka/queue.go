package kafka

// queued is what the producer notes in a message itself: queues are linked
// through their messages, so that a long queue costs no memory of its own.
type queued struct {
	next *Message
	ord  uint64 // place in the order in which the Source gave it, from 1
	size int32  // upper bound of its encoded size in bytes

	grave *grave // it is on its way to the dead-letter topic
}

// queue is a first-in-first-out list of messages, linked through the messages
// themselves. Its zero value is empty. A message is in one queue at a time.
type queue struct {
	head, tail *Message
	n          int
	bytes      int // sum of the sizes
}

func (q *queue) push(m *Message) {
	m.next = nil
	if q.tail == nil {
		q.head = m
	} else {
		q.tail.next = m
	}
	q.tail = m
	q.n++
	q.bytes += int(m.size)
}

// pop removes and returns the oldest message. The queue must not be empty.
func (q *queue) pop() *Message {
	m := q.head
	q.head = m.next
	if q.head == nil {
		q.tail = nil
	}
	m.next = nil
	q.n--
	q.bytes -= int(m.size)
	return m
}

// prepend puts all of front before what is queued, and empties front.
func (q *queue) prepend(front *queue) {
	if front.n == 0 {
		return
	}
	front.tail.next = q.head
	q.head = front.head
	if q.tail == nil {
		q.tail = front.tail
	}
	q.n += front.n
	q.bytes += front.bytes
	*front = queue{}
}

// keepBefore hands every message that the Source gave at or after ord to drop.
// Dead letters stand in the order in which they were refused, so all are looked at.
func (q *queue) keepBefore(ord uint64, drop func(*Message)) {
	old := *q
	*q = queue{}
	for old.n > 0 {
		if m := old.pop(); m.ord < ord {
			q.push(m)
		} else {
			drop(m)
		}
	}
}
