package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/debezium"
)

// report is all that was measured.
type report struct {
	choices     choices
	plan        plan
	facts       facts
	withReceive bool
	drains      []*board // of plan.shapes
	latencies   []*board // of plan.rates
	start       *board
	recovery    *board
	shards      []*board // of plan.shardShapes
	growths     []growth
}

// The names of the files of -write.
const (
	textFile  = "benchmarks.md"
	chartFile = "benchmarks.svg"
)

//go:embed report.md.tmpl
var reportText string

var reportTemplate = template.Must(template.New(textFile).Parse(reportText))

// section is a heading and a table.
type section struct{ Title, Table, Note string }

// page is what the template shows.
type page struct {
	Facts                facts
	Command              string
	Fsync                bool
	Debezium, Receive    bool
	Partitions           int
	Rounds, FlowRounds   int
	LatencySeconds       float64
	WarmUpPercent        float64
	Chart                string
	Goals, Latency       string
	Start, Recovery      string
	Drains, Growths      []section
	Shards               []section
	Worse                []string
	Throughput, LowDelay string // what the tunings change
}

// markdown is the report as a document.
func (r *report) markdown() (string, error) {
	p := page{
		Facts: r.facts, Command: r.choices.command, Fsync: r.choices.fsync, Debezium: r.choices.debezium, Receive: r.withReceive,
		Partitions: partitions, Rounds: r.plan.rounds, FlowRounds: r.plan.flowRounds,
		LatencySeconds: r.plan.latency.Seconds(), WarmUpPercent: warmUp * 100,
		Drains: r.drainSections(), Shards: r.shardSections(), Growths: growthSections(r.growths), Worse: r.worse(),
		Throughput: debezium.Throughput.Describe(), LowDelay: debezium.Latency.Describe(),
	}
	if r.choices.write && len(r.drains) > 0 {
		p.Chart = chartFile
	}
	if goals := r.goals(); len(goals) > 0 {
		p.Goals = goalTable(goals)
	}
	if len(r.latencies) > 0 {
		p.Latency = latencyTable(r.latencies)
	}
	if r.start != nil {
		p.Start = tookTable(r.start)
	}
	if r.recovery != nil {
		p.Recovery = tookTable(r.recovery)
	}
	var b strings.Builder
	if err := reportTemplate.Execute(&b, p); err != nil {
		return "", fmt.Errorf("write the report: %w", err)
	}
	return b.String(), nil
}

func (r *report) drainSections() []section {
	yardstick := nameReceive
	if !r.withReceive {
		yardstick = nameReader
	}
	var all []section
	for i, b := range r.drains {
		title := fmt.Sprintf("%s: %s rows", b.title, thousands(float64(r.plan.shapes[i].rows)))
		all = append(all, section{Title: title, Table: drainTable(b, yardstick), Note: repeatNote(b)})
	}
	return all
}

// repeatNote tells of records that were sent more than once, which a drain without a crash has no reason for.
func repeatNote(b *board) string {
	var notes []string
	for _, name := range b.names {
		if s := b.spread(name, repeats); s.Max > 0 {
			notes = append(notes, fmt.Sprintf("%s sent up to %s records more than there were rows.", name, thousands(s.Max)))
		}
	}
	return strings.Join(notes, " ")
}

// write puts the document and its chart into a folder.
func (r *report) write(dir, text string) error {
	var errs []error
	for name, content := range map[string]string{textFile: text, chartFile: drainChart(r.drains, r.plan.rounds).String()} {
		if name == chartFile && len(r.drains) == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			errs = append(errs, fmt.Errorf("write the report: %w", err))
		}
	}
	return errors.Join(errs...)
}
