package main

import (
	"cmp"
	"fmt"
	"time"
)

// shape is what a backlog looks like.
type shape struct {
	perTxn  int // rows of each transaction; 0 = all in one
	rows    int
	payload int // bytes of each
	topics  int
	keys    int  // 0 leaves it to the writer
	thin    bool // topics have one partition each
	queue   int  // the relay's max.queue.size; 0 for its default
}

// partitions are those of each topic.
func (s shape) partitions() int32 {
	if s.thin {
		return 1
	}
	return partitions
}

// String is the shape's name in tables.
func (s shape) String() string {
	txn := "one transaction"
	switch s.perTxn {
	case 0:
	case 1:
		txn = "1 row per transaction"
	default:
		txn = fmt.Sprintf("%d rows per transaction", s.perTxn)
	}
	topics := ""
	if s.topics > 1 {
		topics = fmt.Sprintf(", %d topics", s.topics)
	}
	return fmt.Sprintf("%s, %s%s", txn, size(s.payload), topics)
}

func size(bytes int) string {
	if bytes >= 1000 {
		return fmt.Sprintf("%d kB", bytes/1000)
	}
	return fmt.Sprintf("%d B", bytes)
}

// plan says how much of each part is done.
type plan struct {
	shapes      []shape
	shardShapes []shape // that several relays share
	rounds      int     // of drains
	flowRounds  int     // of the parts in which rows flow
	rates       []int   // rows per second
	latency     time.Duration
	growths     []growth
}

// partitions of a topic, unless its shape is thin.
const partitions = 16

// drained is the shape that the goals are about, apart from the rows of a transaction.
func drained(perTxn, rows int) shape {
	return shape{perTxn: perTxn, rows: rows, payload: 300, topics: 1}
}

// plan makes the plan for the choices.
func (c choices) plan() plan {
	p := plan{
		shapes: []shape{
			drained(1, 200_000), drained(10, 400_000), drained(100, 500_000), drained(0, 500_000),
			{perTxn: 100, rows: 500_000, payload: 300, topics: 50},
			{perTxn: 100, rows: 100_000, payload: 3_000, topics: 1},
			{perTxn: 10, rows: 5_000, payload: 100_000, topics: 1},
		},
		rounds: 5, flowRounds: 5, latency: 20 * time.Second,
	}
	if c.quick {
		p.shapes = []shape{drained(1, 100_000), drained(100, 100_000), drained(0, 100_000)}
		p.rounds, p.flowRounds, p.latency = 3, 2, 4*time.Second
	}
	p.growths = c.growths()
	p.rates = []int{50, 500, 5000}
	p.rounds, p.flowRounds = cmp.Or(c.rounds, p.rounds), cmp.Or(c.rounds, p.flowRounds)
	p.latency = cmp.Or(time.Duration(c.seconds)*time.Second, p.latency)
	p.shapes, p.shardShapes = c.choose(p.shapes), c.shardShapes()
	return p
}

// choose keeps the shapes that are wanted, as large as they are wanted.
func (c choices) choose(shapes []shape) []shape {
	var chosen []shape
	for _, s := range shapes {
		if c.rows > 0 {
			s.rows = min(s.rows, c.rows)
		}
		if c.shapes.MatchString(s.String()) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}
