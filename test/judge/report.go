package judge

import (
	"errors"
	"fmt"
	"strings"
)

// Report is the outcome of Judge.
type Report struct {
	Committed int // rows that had to arrive
	Records   int // records read, each position of Kafka counted once

	Missing    []Committed // committed and never arrived
	Repeated   []Repeat    // arrived more than once
	Inversions []Inversion // appeared first in another order than committed
	Foreign    []Record    // with an id that was never committed: rolled back, made up, or no id at all
	Changed    []Change    // arrived, first or again, with a wrong key, topic, partition or value
}

// Repeats is the number of records beyond the first of each event.
func (r Report) Repeats() int {
	n := 0
	for _, repeat := range r.Repeated {
		n += repeat.Times - 1
	}
	return n
}

// AtLeastOnce returns an error unless everything arrived, in order and unchanged; repeats are allowed.
func (r Report) AtLeastOnce() error {
	if len(r.Missing)+len(r.Inversions)+len(r.Foreign)+len(r.Changed) > 0 {
		return errors.New(r.String())
	}
	return nil
}

// ExactlyOnce returns an error unless everything arrived once, in order and unchanged.
func (r Report) ExactlyOnce() error {
	if len(r.Repeated) > 0 {
		return errors.New(r.String())
	}
	return r.AtLeastOnce()
}

// examples is how many of each fault are printed in full.
const examples = 3

// String counts everything and shows a few of each fault. It holds keys and ids but no values.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d committed, %d records: %d missing, %d repeated (%d records too many), %d inversions, %d foreign, %d changed",
		r.Committed, r.Records, len(r.Missing), len(r.Repeated), r.Repeats(), len(r.Inversions), len(r.Foreign), len(r.Changed))
	show(&b, r.Missing, func(c Committed) string {
		return fmt.Sprintf("missing: id %s, key %q, seq %d", c.ID, c.Key, c.Seq)
	})
	show(&b, r.Repeated, func(p Repeat) string {
		return fmt.Sprintf("repeated: id %s, %d times", p.ID, p.Times)
	})
	show(&b, r.Inversions, func(i Inversion) string {
		return fmt.Sprintf("inversion: id %s, key %q, seq %d at %s, after seq %d (id %s)",
			i.Earlier.ID, i.Earlier.Key, i.Earlier.Seq, i.Record.position(), i.Later.Seq, i.Later.ID)
	})
	show(&b, r.Foreign, func(f Record) string {
		return fmt.Sprintf("foreign: id %q, key %q at %s", f.ID, f.Key, f.position())
	})
	show(&b, r.Changed, func(c Change) string {
		return fmt.Sprintf("changed: id %s at %s: %s", c.Record.ID, c.Record.position(), c.What)
	})
	return b.String()
}

func (r Record) position() string { return fmt.Sprintf("%s/%d@%d", r.Topic, r.Partition, r.Offset) }

func show[T any](b *strings.Builder, faults []T, line func(T) string) {
	for _, f := range faults[:min(examples, len(faults))] {
		b.WriteString("\n  " + line(f))
	}
	if more := len(faults) - examples; more > 0 {
		fmt.Fprintf(b, "\n  ... and %d more", more)
	}
}
