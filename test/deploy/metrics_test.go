package deploy_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// prunerPackage is the other program.
const prunerPackage = "github.com/outbox-relay/outbox-relay/cmd/outbox-pruner"

// documented is one row of a table of docs/metrics.md.
type documented struct {
	kind   string
	labels []string
}

// printMetrics runs a program with -print-metrics and returns its two tables.
func printMetrics(t *testing.T, pkg string) (own, runtime string) {
	t.Helper()
	out, err := exec.CommandContext(wait.Context(t, time.Minute), proctest.Build(t, pkg), "-print-metrics").Output()
	if err != nil {
		t.Fatalf("%s -print-metrics: %v", pkg, err)
	}
	own, runtime, ok := strings.Cut(string(out), "\n\n")
	if !ok {
		t.Fatalf("%s -print-metrics prints no two tables:\n%s", pkg, out)
	}
	return own + "\n", runtime
}

// replace puts text between a comment and the next end.
func replace(t *testing.T, document, name, text string) string {
	t.Helper()
	before, rest, ok := strings.Cut(document, "<!-- "+name+" -->\n")
	_, after, closed := strings.Cut(rest, "<!-- end -->")
	if !ok || !closed {
		t.Fatalf("docs/metrics.md has no place for %s", name)
	}
	return before + "<!-- " + name + " -->\n" + text + "<!-- end -->" + after
}

// TestMetricsDocument compares docs/metrics.md with what the programs register.
func TestMetricsDocument(t *testing.T) {
	t.Parallel()
	own, runtime := printMetrics(t, procs.RelayPackage)
	document := replace(t, read(t, "docs/metrics.md"), "outbox-relay", own)
	own, _ = printMetrics(t, prunerPackage)
	document = replace(t, document, "outbox-pruner", own)
	same(t, "docs/metrics.md", replace(t, document, "runtime", runtime))
}

// documentedSeries reads the tables of the document.
func documentedSeries(t *testing.T) map[string]documented {
	t.Helper()
	all := map[string]documented{}
	for line := range strings.Lines(read(t, "docs/metrics.md")) {
		cells := strings.Split(line, " | ")
		name, isRow := strings.CutPrefix(cells[0], "| `")
		if !isRow || len(cells) < 4 {
			continue
		}
		labels := strings.FieldsFunc(cells[2], func(r rune) bool { return r == ',' || r == ' ' })
		all[strings.TrimSuffix(name, "`")] = documented{cells[1], labels}
	}
	return all
}

// TestLiveMetricsAreDocumented compares a scrape of a relay at work with the document: names, types and labels.
func TestLiveMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	all := documentedSeries(t)
	for name, family := range liveFamilies(t) {
		doc, ok := all[name]
		if kind := strings.ToLower(family.GetType().String()); !ok || doc.kind != kind {
			t.Errorf("%s is a %s in a scrape and a %q in the document", name, kind, doc.kind)
			continue
		}
		for _, label := range family.GetMetric()[0].GetLabel() {
			if !slices.Contains(doc.labels, label.GetName()) {
				t.Errorf("%s has the label %s, which the document does not have", name, label.GetName())
			}
		}
		if family.GetHelp() == "" {
			t.Errorf("%s has no help text", name)
		}
	}
}

// troubles are gauges of what a healthy relay does not have.
var troubles = []string{"outbox_relay_retrying_since_timestamp_seconds"}

// TestOnlyWhatNeedsATroubleIsMissing: a series of the document that a healthy relay at work does not export counts
// something that has not happened.
func TestOnlyWhatNeedsATroubleIsMissing(t *testing.T) {
	t.Parallel()
	families := liveFamilies(t)
	for name, doc := range documentedSeries(t) {
		if strings.HasPrefix(name, "outbox_relay_") && families[name] == nil && !slices.Contains(troubles, name) && (doc.kind != "counter" || !slices.Contains(doc.labels, "reason")) {
			t.Errorf("%s (%s) is documented and not exported", name, doc.kind)
		}
	}
}
