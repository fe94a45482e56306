package deploy_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dashboard is what this test reads of Grafana's JSON.
type dashboard struct {
	UID        string
	Panels     []panel
	Templating struct {
		List []struct {
			Name  string
			Query any
		}
	}
	Annotations struct {
		List []struct{ Name, Expr string }
	}
}

type panel struct {
	ID          int
	Type, Title string
	Description string
	GridPos     struct{ X, Y, W, H int }
	Targets     []struct {
		RefID        string
		Expr         string
		LegendFormat string
	}
}

func readDashboard(t *testing.T) dashboard {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal([]byte(read(t, "deploy/grafana/outbox-relay.json")), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// variables stand for what Grafana puts in their places.
var variables = strings.NewReplacer("$__rate_interval", "1m", "$slot", ".*", "$__range", "1h")

// dashboardQueries are those of its panels, annotations and variables.
func dashboardQueries(t *testing.T) []query {
	t.Helper()
	d := readDashboard(t)
	legend := regexp.MustCompile(`\{\{(\w+)\}\}`)
	var all []query
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			q := query{where: fmt.Sprintf("panel %q, %s", p.Title, target.RefID), expr: variables.Replace(target.Expr)}
			for _, m := range legend.FindAllStringSubmatch(target.LegendFormat, -1) {
				q.labels = append(q.labels, m[1])
			}
			all = append(all, q)
		}
	}
	for _, a := range d.Annotations.List {
		all = append(all, query{where: "annotation " + a.Name, expr: variables.Replace(a.Expr)})
	}
	for _, v := range d.Templating.List {
		if q, ok := v.Query.(map[string]any); ok {
			m := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`).FindStringSubmatch(fmt.Sprint(q["query"]))
			if m == nil {
				t.Fatalf("the variable %s asks for %v, which this test does not understand", v.Name, q["query"])
			}
			all = append(all, query{"variable " + v.Name, m[1], []string{m[2]}})
		}
	}
	return all
}

// TestDashboardIsWhole: panels have numbers of their own, explain themselves and do not overlap.
func TestDashboardIsWhole(t *testing.T) {
	t.Parallel()
	d := readDashboard(t)
	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("panel %q has the id of another", p.Title)
		}
		ids[p.ID] = true
		if p.Type != "row" && (p.Description == "" || len(p.Targets) == 0) {
			t.Errorf("panel %q has no description or no query", p.Title)
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if taken[at] != "" || at[0] >= 24 {
					t.Fatalf("panel %q lies over %q or outside, at %v", p.Title, taken[at], at)
				}
				taken[at] = p.Title
			}
		}
	}
}

// TestDashboardShowsEachSeries, so that no counter of trouble is overlooked.
func TestDashboardShowsEachSeries(t *testing.T) {
	t.Parallel()
	var shown []string
	for _, q := range dashboardQueries(t) {
		shown = append(shown, ownSeries.FindAllString(q.expr, -1)...)
	}
	for name := range documentedSeries(t) {
		if strings.HasPrefix(name, "outbox_") && !slices.Contains(shown, name) && !slices.Contains(shown, name+"_bucket") {
			t.Errorf("%s is not on the dashboard", name)
		}
	}
}

// TestQueriesParse gives every query to Prometheus' own parser, as recording rules.
func TestQueriesParse(t *testing.T) {
	t.Parallel()
	promtool := prometheusTool(t, "promtool")
	var rules strings.Builder
	rules.WriteString("groups:\n- name: dashboard\n  rules:\n")
	for i, q := range dashboardQueries(t) {
		expr, err := json.Marshal(q.expr) // which is a YAML string too
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&rules, "  - record: query:%d\n    expr: %s\n", i, expr)
	}
	file := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(file, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	succeed(t, promtool, "check", "rules", file)
}

// TestScrapeIsLinted has Prometheus' tool look at the names, types and help texts of a scrape.
func TestScrapeIsLinted(t *testing.T) {
	t.Parallel()
	promtool := prometheusTool(t, "promtool")
	r := startRelay(t, "deploy_lint")
	r.publish(t)
	lint(t, promtool, r.text(t))
}
