package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/outbox-relay/outbox-relay/test/load"
)

// plan is a round: everything that is drawn by lot. The same seed gives the same plan; how the processes interleave
// is up to the machine.
type plan struct {
	seed    uint64
	load    load.Config // without what depends on the servers
	shape   string      // of the load, for people
	types   int         // aggregate types, each with a topic
	late    bool        // topics do not exist before the relay makes them
	others  int         // rows of each transaction of another table, which is written too; 0 is none
	before  int         // rows that are there before the relay, which takes a snapshot of them then; 0 is none
	options []string    // more of the relay's
	length  time.Duration
	faults  []fault
	patient bool // one fault lasts so long that readiness must follow
}

// fault is one event of a round.
type fault struct {
	kind  *kind
	at    time.Duration // after the begin of the load
	lasts time.Duration
	lot   uint64 // for what the kind itself chooses
}

func (f fault) String() string {
	return fmt.Sprintf("%s@%d+%dms", f.kind.name, f.at.Milliseconds(), f.lasts.Milliseconds())
}

const (
	longShare = 0.015 // of rounds that have one long fault
	longFault = 13 * time.Second
)

// draw makes the plan of a round. kinds are those that the stand can do.
func draw(seed uint64, kinds []*kind) plan {
	r := rand.New(rand.NewPCG(seed, 0x5ca1ab1e))
	p := plan{seed: seed, types: 1 + r.IntN(mostTypes), late: r.IntN(5) == 0, others: []int{0, 0, 500, 20_000}[r.IntN(4)]}
	p.drawLoad(r)
	p.drawOptions(r)
	p.length = time.Duration(1200+r.IntN(1200)) * time.Millisecond
	if r.Float64() < longShare {
		p.drawLong(r, kinds)
		return p
	}
	if r.IntN(8) == 0 {
		p.drawSnapshot(r)
	}
	for range 1 + r.IntN(3) {
		p.addFault(r, kinds)
	}
	return p
}

// drawSnapshot lets the relay begin with a snapshot, into which the faults fall.
func (p *plan) drawSnapshot(r *rand.Rand) {
	p.before = 1 + r.IntN(6000)
	if p.load.LargestPayload > 0 {
		p.before = 1 + p.before/20
	}
	p.options = append(p.options, "-snapshot.mode", "initial")
}

// addFault draws one more, unless it needs what another one holds: those would heal each other.
func (p *plan) addFault(r *rand.Rand, kinds []*kind) {
	f := fault{
		kind: choose(r, kinds), lot: r.Uint64(),
		at:    time.Duration(r.Int64N(int64(p.length * 2 / 3))),
		lasts: time.Duration(50+r.IntN(1200)) * time.Millisecond,
	}
	for _, other := range p.faults {
		if other.kind.uses == f.kind.uses {
			return
		}
	}
	p.faults = append(p.faults, f)
}

// drawLong makes a round of one fault that stops the flow for longer than readiness may take.
func (p *plan) drawLong(r *rand.Rand, kinds []*kind) {
	var stops []*kind
	for _, k := range kinds {
		if k.stops {
			stops = append(stops, k)
		}
	}
	p.patient = true
	p.late = false
	p.load.RowsPerSecond = min(p.load.RowsPerSecond, 200)
	p.faults = []fault{{kind: choose(r, stops), at: p.length / 2, lasts: longFault, lot: r.Uint64()}}
	p.length = longFault
}

// choose draws a kind by its weight.
func choose(r *rand.Rand, kinds []*kind) *kind {
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	n := r.IntN(total)
	for _, k := range kinds {
		if n -= k.weight; n < 0 {
			return k
		}
	}
	panic("soak: weights do not add up") // cannot happen
}

// shapes of load: what applications do.
var shapes = []struct {
	name string
	load load.Config
}{
	{"single rows", load.Config{Writers: 6, MaxRows: 1, RowsPerSecond: 2000}},
	{"small transactions", load.Config{Writers: 6, MaxRows: 20, RowsPerSecond: 4000}},
	{"few keys", load.Config{Writers: 8, MaxRows: 10, RowsPerSecond: 2000, Keys: 4}},
	{"savepoints", load.Config{Writers: 4, MaxRows: 60, RowsPerSecond: 3000, SavepointShare: 0.7}},
	{"rollbacks", load.Config{Writers: 4, MaxRows: 40, RowsPerSecond: 3000, RollbackShare: 0.6}},
	{"wide rows", load.Config{Writers: 3, MaxRows: 6, RowsPerSecond: 250, LargestPayload: 300_000}},
	{"huge transactions", load.Config{Writers: 3, MaxRows: 20, RowsPerSecond: 3000, HugeShare: 0.06, HugeRows: 4000}},
	{"everything", load.Config{Writers: 5, MaxRows: 40, RowsPerSecond: 2000, LargestPayload: 20_000, HugeShare: 0.02, HugeRows: 1000}},
}

func (p *plan) drawLoad(r *rand.Rand) {
	shape := shapes[r.IntN(len(shapes))]
	p.shape, p.load = shape.name, shape.load
	if p.load.Keys == 0 {
		p.load.Keys = []int{10, 100, 1000}[r.IntN(3)]
	}
	if p.load.RollbackShare == 0 {
		p.load.RollbackShare = 0.15
	}
	if p.load.SavepointShare == 0 {
		p.load.SavepointShare = 0.15
	}
	p.load.Seed = r.Uint64()
}

// drawOptions chooses options of the relay that change how it deals with faults.
func (p *plan) drawOptions(r *rand.Rand) {
	pick := func(name string, values ...string) {
		if v := values[r.IntN(len(values))]; v != "" {
			p.options = append(p.options, name, v)
		}
	}
	pick("-request.timeout.ms", "", "1000", "2000", "5000")
	pick("-compression.type", "", "", "zstd", "lz4")
	pick("-linger.ms", "", "", "5")
	pick("-batch.size", "", "", "16384")
	pick("-max.queue.size.in.bytes", "", "", "1MiB")
	pick("-status.update.interval.ms", "", "500")
	if r.IntN(4) == 0 {
		p.options = append(p.options, "-heartbeat.interval.ms", "100")
	}
	if p.late {
		p.options = append(p.options, "-topic.creation.enable", "-topic.creation.default.partitions", fmt.Sprint(partitions))
	}
}

// gentle answers whether nothing breaks in the round. What lasts long runs into the timeouts of all sides.
func (p *plan) gentle() bool {
	return !p.patient && p.before == 0 && !slices.ContainsFunc(p.faults, func(f fault) bool { return !f.kind.gentle })
}

// String is one line for people.
func (p *plan) String() string {
	faults := make([]string, len(p.faults))
	for i, f := range p.faults {
		faults[i] = f.String()
	}
	extra := ""
	if p.late {
		extra += ", late topics"
	}
	if p.before > 0 {
		extra += fmt.Sprintf(", a snapshot of %d rows", p.before)
	}
	if p.others > 0 {
		extra += fmt.Sprintf(", %d rows at once of another table", p.others)
	}
	return fmt.Sprintf("%s, %d topics%s; %s", p.shape, p.types, extra, strings.Join(faults, " "))
}
