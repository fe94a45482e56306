package deploy_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// query is what is asked of Prometheus somewhere in deploy/.
type query struct {
	where, expr string
	labels      []string // named outside of the expression, as in a legend
}

// own are the series that a relay exports; up and what a scrape adds are Prometheus' own.
var (
	ownSeries   = regexp.MustCompile(`\b(?:outbox_relay|outbox_pruner|process|go)_[a-z0-9_]+\b`)
	quoted      = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	selector    = regexp.MustCompile(`([a-z0-9_]+)\{([^}]*)\}`)
	labelName   = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
	grouping    = regexp.MustCompile(`\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)`)
	notExported = []string{"job", "instance"} // added by the scrape
)

// TestQueriesFitTheMetrics: each series that an alert or the dashboard asks for is documented, which is compared with a live relay's
// scrape elsewhere, and has the labels that are asked for.
func TestQueriesFitTheMetrics(t *testing.T) {
	t.Parallel()
	series := documentedSeries(t)
	for _, q := range allQueries(t) {
		asked := ownSeries.FindAllString(q.expr, -1)
		if len(asked) == 0 && !strings.Contains(q.expr, "up{") {
			t.Errorf("%s asks for no series of ours: %s", q.where, q.expr)
		}
		known := map[string]bool{}
		for _, name := range asked {
			labels, ok := labelsOf(series, name)
			if !ok {
				t.Errorf("%s asks for %s, which is not exported: %s", q.where, name, q.expr)
			}
			for _, l := range labels {
				known[l] = true
			}
		}
		q.checkSelectors(t, series)
		for _, l := range append(q.grouped(), q.labels...) {
			if !known[l] && !slices.Contains(notExported, l) {
				t.Errorf("%s uses the label %s, which none of its series has (they have %v): %s", q.where, l, slices.Sorted(maps.Keys(known)), q.expr)
			}
		}
	}
}

// labelsOf finds a series, also as a part of a histogram.
func labelsOf(series map[string]documented, name string) ([]string, bool) {
	if doc, ok := series[name]; ok {
		return doc.labels, true
	}
	for _, part := range []string{"_bucket", "_sum", "_count"} {
		base, ok := strings.CutSuffix(name, part)
		if doc := series[base]; ok && (doc.kind == "histogram" || doc.kind == "summary") {
			return append([]string{"le"}, doc.labels...), true
		}
	}
	return nil, false
}

// checkSelectors looks at the labels in braces.
func (q query) checkSelectors(t *testing.T, series map[string]documented) {
	t.Helper()
	for _, m := range selector.FindAllStringSubmatch(quoted.ReplaceAllString(q.expr, `""`), -1) {
		labels, ok := labelsOf(series, m[1])
		for _, l := range labelName.FindAllStringSubmatch(m[2], -1) {
			if ok && !slices.Contains(labels, l[1]) && !slices.Contains(notExported, l[1]) {
				t.Errorf("%s selects %s by %s, which it does not have: %s", q.where, m[1], l[1], q.expr)
			}
		}
	}
}

// grouped returns the labels of by (…) and its like.
func (q query) grouped() []string {
	var all []string
	for _, m := range grouping.FindAllStringSubmatch(q.expr, -1) {
		all = append(all, strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	return all
}

// allQueries are those of the alerts and of the dashboard.
func allQueries(t *testing.T) []query {
	t.Helper()
	all := dashboardQueries(t)
	for _, a := range alerts(t) {
		all = append(all, query{"alert " + a.Alert, a.Expr, templateLabels(a.Annotations)})
	}
	return all
}

// templateLabels are those that a summary or description shows.
func templateLabels(annotations map[string]string) []string {
	var all []string
	for _, text := range annotations {
		for _, m := range regexp.MustCompile(`\$labels\.(\w+)`).FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
	}
	return all
}
