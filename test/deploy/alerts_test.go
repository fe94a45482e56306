package deploy_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const (
	alertsFile = "deploy/prometheus/alerts.yml"
	ruleFile   = "deploy/kubernetes/monitoring/prometheusrule.yaml"
	runbook    = "https://github.com/outbox-relay/outbox-relay/blob/main/docs/runbook.md#"
)

// alert is one rule of the alerts.
type alert struct {
	Alert       string
	Expr        string
	Labels      map[string]string
	Annotations map[string]string
}

// alerts reads them all.
func alerts(t *testing.T) []alert {
	t.Helper()
	var file struct {
		Groups []struct{ Rules []alert }
	}
	if err := yaml.Unmarshal([]byte(read(t, alertsFile)), &file); err != nil {
		t.Fatal(err)
	}
	var all []alert
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) == 0 {
		t.Fatal("no alerts")
	}
	return all
}

// TestAlertsHaveAPage: each alert links a section of the runbook that exists, and each section is for an alert.
func TestAlertsHaveAPage(t *testing.T) {
	t.Parallel()
	sections := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^## (\w+)$`).FindAllStringSubmatch(read(t, "docs/runbook.md"), -1) {
		sections[strings.ToLower(m[1])] = m[1]
	}
	for _, a := range alerts(t) {
		anchor := strings.TrimPrefix(a.Annotations["runbook_url"], runbook)
		if sections[anchor] != a.Alert {
			t.Errorf("%s links %q, which is the section %q", a.Alert, a.Annotations["runbook_url"], sections[anchor])
		}
		delete(sections, anchor)
		if s := a.Labels["severity"]; s != "critical" && s != "warning" {
			t.Errorf("%s has the severity %q", a.Alert, s)
		}
		if a.Annotations["summary"] == "" || a.Annotations["description"] == "" {
			t.Errorf("%s lacks a summary or description", a.Alert)
		}
	}
	for _, s := range sections {
		t.Errorf("the runbook has a section %s, which is no alert", s)
	}
}

// TestRunbookSections: each has the four parts that somebody needs at night.
func TestRunbookSections(t *testing.T) {
	t.Parallel()
	for _, section := range strings.Split(read(t, "docs/runbook.md"), "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		for _, part := range []string{"**Meaning.**", "**Impact.**", "**Look at", "o.**"} {
			if !strings.Contains(text, part) {
				t.Errorf("the section %s lacks %s", name, part)
			}
		}
	}
}

// TestAlertsFire has Prometheus' own tool evaluate the rules over series of trouble and of what looks like it.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	promtool := prometheusTool(t, "promtool")
	succeed(t, promtool, "check", "rules", filepath.Join(root, alertsFile))
	out := succeed(t, promtool, "test", "rules", filepath.Join(root, "deploy/prometheus/alerts_test.yml"))
	if !strings.Contains(out, "SUCCESS") {
		t.Errorf("promtool says\n%s", out)
	}
}

// TestEachAlertIsTested looks for one test in which it fires and one in which it does not.
func TestEachAlertIsTested(t *testing.T) {
	t.Parallel()
	var file struct {
		Tests []struct {
			Rules []struct {
				Name   string `yaml:"alertname"`
				Alerts []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "deploy/prometheus/alerts_test.yml")), &file); err != nil {
		t.Fatal(err)
	}
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, test := range file.Tests {
		for _, r := range test.Rules {
			fires[r.Name] = fires[r.Name] || len(r.Alerts) > 0
			quiet[r.Name] = quiet[r.Name] || len(r.Alerts) == 0
		}
	}
	for _, a := range alerts(t) {
		if !fires[a.Alert] || !quiet[a.Alert] {
			t.Errorf("%s: tested firing %v, quiet %v", a.Alert, fires[a.Alert], quiet[a.Alert])
		}
	}
}

// ruleHead is what the Prometheus operator wants around the groups.
const ruleHead = `# Made of deploy/prometheus/alerts.yml by make docs; a test compares.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: outbox-relay
  labels:
    app.kubernetes.io/name: outbox-relay
spec:
`

// TestPrometheusRule: the operator's resource has the same alerts.
func TestPrometheusRule(t *testing.T) {
	t.Parallel()
	text := read(t, alertsFile)
	var b strings.Builder
	b.WriteString(ruleHead)
	for line := range strings.Lines(text[strings.Index(text, "groups:"):]) {
		if line != "\n" {
			b.WriteString("  ")
		}
		b.WriteString(line)
	}
	same(t, ruleFile, b.String())
}
