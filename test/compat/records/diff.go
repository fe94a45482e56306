package records

import (
	"fmt"
	"strings"
)

// differences is how many records a diff shows in full.
const differences = 5

// Diff compares what arrived with what should have, partition by partition in order, and returns an empty text when
// nothing differs. Only what differs of a record is shown, with the bytes around the first one that does.
func Diff(want, got []Record) string {
	d := diff{want: byPartition(want), got: byPartition(got)}
	for _, p := range partitions(want, got) {
		d.partition(p)
	}
	if d.count == 0 {
		return ""
	}
	if more := d.count - differences; more > 0 {
		fmt.Fprintf(&d.text, "... and %d more differences\n", more)
	}
	return fmt.Sprintf("%d of %d records differ (- wanted, + got):\n%s", d.count, len(want), d.text.String())
}

type partition struct {
	topic string
	n     int32
}

func (p partition) String() string { return fmt.Sprintf("%s/%d", p.topic, p.n) }

func byPartition(records []Record) map[partition][]Record {
	m := make(map[partition][]Record)
	for _, r := range records {
		p := partition{r.Topic, r.Partition}
		m[p] = append(m[p], r)
	}
	return m
}

// diff is the state of one call of Diff.
type diff struct {
	want, got map[partition][]Record
	text      strings.Builder
	count     int
}

// partitions lists all partitions in the order in which they appear.
func partitions(sets ...[]Record) []partition {
	var list []partition
	seen := make(map[partition]bool)
	for _, set := range sets {
		for _, r := range set {
			if p := (partition{r.Topic, r.Partition}); !seen[p] {
				seen[p] = true
				list = append(list, p)
			}
		}
	}
	return list
}

// partition compares the records of one partition. Where the ids show that one is missing or too many, it is skipped,
// so that one loss is not printed as many changes.
func (d *diff) partition(p partition) {
	want, got := d.want[p], d.got[p]
	for len(want) > 0 && len(got) > 0 {
		w, g := want[0], got[0]
		switch {
		case w.Equal(g):
		case w.ID() != g.ID() && len(want) > len(got):
			d.lone(p, "-", "missing", w)
			want = want[1:]
			continue
		case w.ID() != g.ID() && len(want) < len(got):
			d.lone(p, "+", "too many", g)
			got = got[1:]
			continue
		default:
			d.changed(p, w, g)
		}
		want, got = want[1:], got[1:]
	}
	for _, w := range want {
		d.lone(p, "-", "missing", w)
	}
	for _, g := range got {
		d.lone(p, "+", "too many", g)
	}
}

// shown counts a difference and reports whether it is among those to print.
func (d *diff) shown() bool {
	d.count++
	return d.count <= differences
}

func (d *diff) lone(p partition, sign, what string, r Record) {
	if !d.shown() {
		return
	}
	fmt.Fprintf(&d.text, "%s id %q: %s\n  %s timestamp %s key %s value %s\n", p, r.ID(), what, sign, r.Timestamp, show(r.Key), show(r.Value))
	for _, h := range r.Headers {
		fmt.Fprintf(&d.text, "  %s header %s: %s\n", sign, h.Key, show(h.Value))
	}
}

func (d *diff) changed(p partition, want, got Record) {
	if !d.shown() {
		return
	}
	fmt.Fprintf(&d.text, "%s id %q:\n", p, want.ID())
	if want.Timestamp != got.Timestamp {
		fmt.Fprintf(&d.text, "  - timestamp %s\n  + timestamp %s\n", want.Timestamp, got.Timestamp)
	}
	d.bytes("key", want.Key, got.Key)
	d.bytes("value", want.Value, got.Value)
	for i := range max(len(want.Headers), len(got.Headers)) {
		d.header(want.Headers, got.Headers, i)
	}
}

func (d *diff) header(want, got []Header, i int) {
	name := fmt.Sprintf("header %d", i)
	switch {
	case i >= len(got):
		fmt.Fprintf(&d.text, "  - %s %s: %s\n", name, want[i].Key, show(want[i].Value))
	case i >= len(want):
		fmt.Fprintf(&d.text, "  + %s %s: %s\n", name, got[i].Key, show(got[i].Value))
	case want[i].Key != got[i].Key:
		fmt.Fprintf(&d.text, "  - %s %s: %s\n  + %s %s: %s\n", name, want[i].Key, show(want[i].Value), name, got[i].Key, show(got[i].Value))
	default:
		d.bytes(name+" "+want[i].Key, want[i].Value, got[i].Value)
	}
}

// How many bytes before the first difference are shown, and how many after it.
const (
	before = 60
	after  = 200
)

// bytes shows two byte strings from a little before the first difference on.
func (d *diff) bytes(what string, want, got []byte) {
	if same(want, got) {
		return
	}
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	fmt.Fprintf(&d.text, "  - %s %s\n  + %s %s\n", what, excerpt(want, at), what, excerpt(got, at))
}

// show makes bytes readable.
func show(b []byte) string { return excerpt(b, 0) }

// excerpt shows the bytes around an offset, quoted as in Go: those that are no text as \x and two digits.
func excerpt(b []byte, at int) string {
	if b == nil {
		return "null"
	}
	from, to := max(0, at-before), min(len(b), at+after)
	var head, tail string
	if from > 0 {
		head = fmt.Sprintf("[%d bytes]…", from)
	}
	if to < len(b) {
		tail = fmt.Sprintf("…[%d bytes]", len(b)-to)
	}
	return head + fmt.Sprintf("%q", b[from:to]) + tail
}
