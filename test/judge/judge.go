// Package judge decides whether what arrived in Kafka is what was committed in PostgreSQL. It shares no code with the
// relay and reads with another client library (franz-go, while the relay produces with sarama), so that a mistake
// cannot hide itself. Judge is pure; Consumer collects the records for it.
package judge

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"time"
)

// Committed is one outbox row that was committed, or may have been.
type Committed struct {
	ID   string // the event id, unique
	Key  string // the record key
	Seq  int64  // rises with the commit order within one topic and key; gaps are fine
	Hash uint64 // of the value as it must arrive (Hash); 0 = not checked

	Topic string    // where it must arrive; empty = not checked
	At    time.Time // just before COMMIT was sent; zero = unknown
}

// Record is one record as read from Kafka.
type Record struct {
	ID        string // the header "id"; empty if it has none
	Key       string
	Topic     string
	Partition int32
	Offset    int64
	Hash      uint64    // of the value
	Timestamp time.Time // the record's own
	Arrived   time.Time // when the consumer got it
}

// Hash is the fingerprint of a value. Of a null value it is 0.
func Hash(value []byte) uint64 {
	if value == nil {
		return 0
	}
	h := fnv.New64a()
	h.Write(value)
	return h.Sum64()
}

// Change is a record that does not carry what it must.
type Change struct {
	Record Record
	What   string // which parts differ, and from what
}

// Repeat is an event that arrived more than once.
type Repeat struct {
	ID    string
	Times int // how often it arrived in all
}

// Inversion is an event that appeared for the first time after an event of the same topic and key that was committed
// later.
type Inversion struct {
	Earlier, Later Committed // by commit; Earlier appeared after Later
	Record         Record    // the first appearance of Earlier
}

// Judge compares the records with the committed rows. Rows in unknown may have arrived or not: their COMMIT was sent and
// never answered. Records may come in any order and may hold one position of Kafka several times, as after a reader's
// restart: order is judged by offset.
func Judge(committed, unknown []Committed, records []Record) Report {
	j := judgement{
		rows:    make(map[string]Committed, len(committed)+len(unknown)),
		seen:    make(map[string]*appearance, len(committed)),
		highest: map[topicKey]placed{},
	}
	for _, c := range unknown {
		j.rows[c.ID] = c
	}
	for _, c := range committed {
		j.rows[c.ID] = c
	}
	j.report.Committed = len(committed)
	for _, r := range byPosition(records) {
		j.record(r)
	}
	for _, c := range committed {
		if j.seen[c.ID] == nil {
			j.report.Missing = append(j.report.Missing, c)
		}
	}
	j.countRepeats()
	return j.report
}

type topicKey struct{ topic, key string }

type appearance struct {
	first Record
	times int
}

// placed is a row with the partition it appeared in.
type placed struct {
	row       Committed
	partition int32
}

// judgement is the state of one call of Judge.
type judgement struct {
	rows    map[string]Committed
	seen    map[string]*appearance
	highest map[topicKey]placed // the last committed of the rows that have appeared
	order   []string            // ids in the order of their first repeat
	report  Report
}

// byPosition sorts a copy by topic, partition and offset and drops positions that were read twice.
func byPosition(records []Record) []Record {
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
	})
	return slices.CompactFunc(sorted, func(a, b Record) bool {
		return a.Topic == b.Topic && a.Partition == b.Partition && a.Offset == b.Offset
	})
}

func (j *judgement) record(r Record) {
	j.report.Records++
	row, ok := j.rows[r.ID]
	if !ok {
		j.report.Foreign = append(j.report.Foreign, r)
		return
	}
	if a := j.seen[r.ID]; a != nil {
		if a.times++; a.times == 2 {
			j.order = append(j.order, r.ID)
		}
		if what := differs(r, a.first); what != "" {
			j.report.Changed = append(j.report.Changed, Change{r, what})
		}
		return
	}
	j.seen[r.ID] = &appearance{first: r, times: 1}
	if what := violates(r, row); what != "" {
		j.report.Changed = append(j.report.Changed, Change{r, what})
	}
	j.place(r, row)
}

// place compares a first appearance with those of the same topic and key before it. The key as committed counts, not
// the one that arrived: a changed key is reported already. Order exists within one partition only, so a key that is
// found in a second one is a fault of its own.
func (j *judgement) place(r Record, row Committed) {
	k := topicKey{r.Topic, row.Key}
	highest, ok := j.highest[k]
	if ok && r.Partition != highest.partition {
		what := fmt.Sprintf("partition %d, other records of key %q are in %d", r.Partition, row.Key, highest.partition)
		j.report.Changed = append(j.report.Changed, Change{r, what})
		return
	}
	if ok && row.Seq <= highest.row.Seq {
		j.report.Inversions = append(j.report.Inversions, Inversion{Earlier: row, Later: highest.row, Record: r})
		return
	}
	j.highest[k] = placed{row, r.Partition}
}

func (j *judgement) countRepeats() {
	for _, id := range j.order {
		j.report.Repeated = append(j.report.Repeated, Repeat{id, j.seen[id].times})
	}
}
