package kafka

import (
	"container/heap"
	"time"
)

// timers holds the partitions that wait for a point in time, the earliest first.
type timers []*partition

var _ heap.Interface = (*timers)(nil)

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].due.Before(t[j].due) }
func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].heapAt, t[j].heapAt = i, j
}

func (t *timers) Push(x any) {
	p := x.(*partition)
	p.heapAt = len(*t)
	*t = append(*t, p)
}

func (t *timers) Pop() any {
	last := len(*t) - 1
	p := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	return p
}

// set makes p due at that time, whether or not it was waiting before.
func (t *timers) set(p *partition, due time.Time) {
	waiting := p.place == timed
	p.place, p.due = timed, due
	if waiting {
		heap.Fix(t, p.heapAt)
	} else {
		heap.Push(t, p)
	}
}

// remove takes p out if it is waiting.
func (t *timers) remove(p *partition) {
	if p.place == timed {
		heap.Remove(t, p.heapAt)
		p.place = nowhere
	}
}
