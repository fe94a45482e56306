package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/stats"
)

// contenders makes contenders that can not run.
func contenders(names ...string) []contender {
	list := make([]contender, len(names))
	for i, name := range names {
		list[i].name = name
	}
	return list
}

// filled is a board of two rounds with the given values of a metric.
func filled(title string, m metric, values map[string][2]float64) *board {
	var names []string
	for _, name := range []string{nameReceive, nameRelay, nameReader, nameProducer, nameFloor} {
		if _, ok := values[name]; ok {
			names = append(names, name)
		}
	}
	b := newBoard(title, 2, contenders(names...))
	for name, v := range values {
		b.set(name, m, 0, v[0])
		b.set(name, m, 1, v[1])
	}
	return b
}

func TestBoard(t *testing.T) {
	t.Parallel()
	b := filled("x", rate, map[string][2]float64{nameRelay: {100, 300}, nameReceive: {50, math.NaN()}})
	if diff := cmp.Diff(stats.Spread{Median: 200, Min: 100, Max: 300, N: 2}, b.spread(nameRelay, rate)); diff != "" {
		t.Errorf("two values (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(stats.Spread{Median: 50, Min: 50, Max: 50, N: 1}, b.spread(nameReceive, rate)); diff != "" {
		t.Errorf("one failed round (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(stats.Spread{Median: 2, Min: 2, Max: 2, N: 1}, b.ratio(nameRelay, nameReceive, rate)); diff != "" {
		t.Errorf("the ratio of the round that both have (-want +got):\n%s", diff)
	}
	var missing *board
	if missing.spread(nameRelay, took).N != 0 || missing.ratio(nameRelay, nameFloor, took).N != 0 || b.ratio(nameRelay, nameReader, cpu).N != 0 {
		t.Error("something that was not measured has a value")
	}
}

func TestToSum(t *testing.T) {
	t.Parallel()
	b := filled("x", cpu, map[string][2]float64{nameRelay: {9, 8}, nameReceive: {2, 2}, nameProducer: {4, 2}})
	want := stats.Spread{Median: 1.75, Min: 1.5, Max: 2, N: 2}
	if diff := cmp.Diff(want, b.toSum(nameRelay, cpu, nameReceive, nameProducer)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := b.toSum(nameRelay, cpu, nameReceive, nameTuned); got.N != 0 {
		t.Errorf("%v although one of the sum was not measured", got)
	}
}

func TestGoalVerdicts(t *testing.T) {
	t.Parallel()
	spread := stats.Of([]float64{1, 2, 9})
	tests := []struct {
		name string
		goal goal
		want string
	}{
		{"not measured", goal{limit: 1}, none},
		{"at least, exactly", goal{limit: 2, atLeast: true, got: spread}, "yes"},
		{"at least, missed", goal{limit: 2.1, atLeast: true, got: spread}, "**no**"},
		{"at most, by the median", goal{limit: 2, got: spread}, "yes"},
		{"at most, missed", goal{limit: 1.9, got: spread}, "**no**"},
		{"at most, by the worst round", goal{limit: 2, worst: true, got: spread}, "**no**"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.goal.verdict(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// sampleReport has one drain, one latency and a recovery, without Debezium.
func sampleReport() *report {
	drain := filled("1 row per transaction, 300 B", rate, map[string][2]float64{
		nameReceive: {50_000, 52_000}, nameRelay: {100_000, 104_000}, nameReader: {125_000, 126_000}, nameProducer: {300_000, 310_000},
	})
	for name, seconds := range map[string]float64{nameReceive: 9, nameRelay: 10, nameReader: 5, nameProducer: 6} {
		drain.set(name, cpu, 0, seconds)
		drain.set(name, memory, 0, 30<<20)
	}
	latency := filled("500 rows/s", median, map[string][2]float64{nameRelay: {0.0005, 0.0006}, nameFloor: {0.0004, 0.0004}})
	return &report{
		choices: choices{command: "go run ./test/bench"},
		plan:    plan{shapes: []shape{drained(1, 200_000)}, rounds: 2, flowRounds: 2, rates: []int{500}},
		facts:   facts{CPUs: 2, Postgres: "15.1", Kafka: "4.4.0"},
		drains:  []*board{drain}, latencies: []*board{latency}, withReceive: true,
		recovery: filled("recovery after kill -9", took, map[string][2]float64{nameRelay: {0.1, 0.7}}),
	}
}

func TestGoals(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, g := range sampleReport().goals() {
		got[g.what] = g.bound() + " " + g.print.spread(g.got) + " " + g.verdict()
	}
	want := map[string]string{
		"1 row per transaction, 300 B: rows/s to pg_recvlogical":              "≥ 1.60× 2.00× (2.00×–2.00×) yes",
		"1 row per transaction, 300 B: CPU to pg_recvlogical + bare producer": "≤ 1.20× 0.67× yes",
		"1 row per transaction, 300 B: peak memory":                           "≤ 64.0 MB 30.0 MB yes",
		"commit to consumed at 500 rows/s, p50, to the floor":                 "≤ 1.50× 1.38× (1.25×–1.50×) yes",
		"recovery after kill -9":                                              "≤ 0.50 s 0.40 s (0.10 s–0.70 s) yes",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGoalsOfOtherShapes(t *testing.T) {
	t.Parallel()
	b := sampleReport().drains[0]
	for _, s := range []shape{{perTxn: 10, payload: 300, topics: 1}, {perTxn: 100, payload: 3000, topics: 1}, {perTxn: 1, payload: 300, topics: 50}} {
		if goals := drainGoalsOf(b, s); len(goals) != 1 || !goals[0].worst {
			t.Errorf("%s has %d goals, want the one for memory", s, len(goals))
		}
	}
}

func TestWorse(t *testing.T) {
	t.Parallel()
	want := []string{
		"1 row per transaction, 300 B: rows/s 0.81× that of bare reader; CPU 1.11× that of pg_recvlogical, 2.00× that of bare reader.",
		"500 rows/s: p50 1.38× that of bare reader and producer.",
	}
	if diff := cmp.Diff(want, sampleReport().worse()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	equal := report{drains: []*board{filled("x", rate, map[string][2]float64{nameRelay: {100, 100}, nameReceive: {101, 101}})}}
	if got := equal.worse(); len(got) != 0 {
		t.Errorf("a difference of one percent is told: %q", got)
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	r := sampleReport()
	r.drains[0].set(nameRelay, repeats, 0, 12)
	text, err := r.markdown()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"### 1 row per transaction, 300 B: 200,000 rows", "| 102,000 (100,000–104,000) |", "outbox-relay sent up to 12 records more",
		"Written by `go run ./test/bench`,", "## Commit to consumed", "## Recovery after kill -9", "- 500 rows/s: p50 1.38× that of", "| PostgreSQL | 15.1, fsync off",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	for _, unwanted := range []string{"Debezium", "## Start to first record", "benchmarks.svg", "\n\n\n", "<no value>", "NaN"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("the report has %q:\n%s", unwanted, text)
		}
	}
}

func TestMarkdownWithoutReceive(t *testing.T) {
	t.Parallel()
	r := sampleReport()
	r.withReceive = false
	text, err := r.markdown()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"× bare reader", "**pg_recvlogical** is missing"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := sampleReport().write(dir, "text"); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(filepath.Join(dir, chartFile))
	if err != nil {
		t.Fatal(err)
	}
	bars := 0
	decoder := xml.NewDecoder(strings.NewReader(string(svg)))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s is not well-formed: %v", chartFile, err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "rect" {
			bars++
		}
	}
	if bars != 1+4 {
		t.Errorf("%d rectangles, want the background and a bar for each of the 4 contenders that have a value", bars)
	}
	if err := sampleReport().write(filepath.Join(dir, "missing"), "text"); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}
