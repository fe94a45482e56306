package lint_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

// rendered are the objects of the chart with some values changed, as helm template prints them.
func rendered(t *testing.T, values map[string]any) []string {
	t.Helper()
	chart, err := loader.Load(filepath.Join(root, "deploy/helm/outbox-relay"))
	if err != nil {
		t.Fatal(err)
	}
	if err := chart.Validate(); err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(chart, values, chartutil.ReleaseOptions{Name: "shop", Namespace: "shop", IsInstall: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Engine{Strict: true}.Render(chart, all)
	if err != nil {
		t.Fatal(err)
	}
	var objects []string
	for name, text := range files {
		if strings.HasSuffix(name, ".yaml") && strings.TrimSpace(text) != "" {
			objects = append(objects, text)
		}
	}
	return objects
}

// TestChart renders everything that the chart can make and holds it to what the manifests must be.
func TestChart(t *testing.T) {
	t.Parallel()
	m := decode(t, rendered(t, map[string]any{
		"pruner":           map[string]any{"enabled": true},
		"serviceMonitor":   map[string]any{"enabled": true, "labels": map[string]any{"release": "prometheus"}},
		"podAnnotations":   map[string]any{"example": "yes"},
		"imagePullSecrets": []any{map[string]any{"name": "registry"}},
		"nodeSelector":     map[string]any{"disk": "fast"},
		"tolerations":      []any{map[string]any{"key": "dedicated", "operator": "Exists"}},
		"relay":            map[string]any{"shutdown.timeout": "10s", "max.request.size": float64(10_485_760)}, // as YAML's numbers are read
	}))
	m.checkDeployment(t)
	m.checkSelectors(t)
	m.checkPod(t, m.deployment.object.Spec.Template.Spec, "outbox-relay.conf")
	m.checkPod(t, m.cronJob.object.Spec.JobTemplate.Spec.Template.Spec, "outbox-pruner.conf")
	if !matches(m.monitor.Spec.Selector.MatchLabels, m.service.Labels) || m.service.Labels[m.monitor.Spec.JobLabel] != "outbox-relay" {
		t.Error("the ServiceMonitor does not find the Service, or calls the job otherwise than the alerts do")
	}
	options := strings.Split(m.configs["shop-outbox-relay"].Data["outbox-relay.conf"], "\n")
	for _, want := range []string{"shutdown.timeout=10s", "max.request.size=10485760", "slot.name=outbox_relay"} {
		if !slices.Contains(options, want) {
			t.Errorf("no option %s in %q", want, options)
		}
	}
}

// TestChartByDefault: a relay and nothing that needs another operator.
func TestChartByDefault(t *testing.T) {
	t.Parallel()
	m := decode(t, rendered(t, nil))
	m.checkDeployment(t)
	if m.cronJob.object.Name != "" || m.monitor.Name != "" || m.budget.Name == "" {
		t.Error("the chart makes a CronJob or ServiceMonitor unasked, or no PodDisruptionBudget")
	}
	if image := m.deployment.object.Spec.Template.Spec.Containers[0].Image; !strings.HasSuffix(image, ":0.1.0") {
		t.Errorf("the image %s is not that of the chart's version", image)
	}
}
