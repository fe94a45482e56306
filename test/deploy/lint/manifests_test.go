package lint_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// manifests are the objects of a folder or chart, by what they are.
type manifests struct {
	deployment template[appsv1.Deployment]
	cronJob    template[batchv1.CronJob]
	service    corev1.Service
	budget     policyv1.PodDisruptionBudget
	policy     networkingv1.NetworkPolicy
	monitor    monitoringv1.ServiceMonitor
	rule       monitoringv1.PrometheusRule
	configs    map[string]corev1.ConfigMap
}

// template is an object that makes pods.
type template[T any] struct{ object T }

// kustomized builds a folder as kubectl apply -k does, and reads each object strictly: a field that Kubernetes does not
// know is an error.
func kustomized(t *testing.T, folder string) *manifests {
	t.Helper()
	path := filepath.Join(root, folder)
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), path)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, texts(t, built))
}

func texts(t *testing.T, built resmap.ResMap) []string {
	t.Helper()
	var all []string
	for _, r := range built.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

// decode reads objects.
func decode(t *testing.T, objects []string) *manifests {
	t.Helper()
	m := &manifests{configs: map[string]corev1.ConfigMap{}}
	for _, text := range objects {
		var head struct{ APIVersion, Kind string }
		if err := yaml.Unmarshal([]byte(text), &head); err != nil {
			t.Fatal(err)
		}
		var config corev1.ConfigMap
		kinds := map[string]any{
			"apps/v1 Deployment": &m.deployment.object, "batch/v1 CronJob": &m.cronJob.object, "v1 Service": &m.service, "v1 ConfigMap": &config,
			"policy/v1 PodDisruptionBudget": &m.budget, "networking.k8s.io/v1 NetworkPolicy": &m.policy,
			"monitoring.coreos.com/v1 ServiceMonitor": &m.monitor, "monitoring.coreos.com/v1 PrometheusRule": &m.rule,
		}
		object := kinds[head.APIVersion+" "+head.Kind]
		if object == nil {
			t.Fatalf("this test does not know %s %s; it knows %v", head.APIVersion, head.Kind, slices.Sorted(maps.Keys(kinds)))
		}
		if err := yaml.UnmarshalStrict([]byte(text), object); err != nil {
			t.Errorf("%s: %v", head.Kind, err)
		}
		if config.Name != "" {
			m.configs[config.Name] = config
		}
	}
	return m
}

func TestManifests(t *testing.T) {
	t.Parallel()
	m := kustomized(t, "deploy/kubernetes")
	m.checkDeployment(t)
	m.checkSelectors(t)
	m.checkPod(t, m.deployment.object.Spec.Template.Spec, "outbox-relay.conf")
	m.checkPod(t, m.cronJob.object.Spec.JobTemplate.Spec.Template.Spec, "outbox-pruner.conf")
	if m.cronJob.object.Spec.ConcurrencyPolicy != batchv1.ForbidConcurrent {
		t.Error("two passes of the pruner may run at once")
	}
}

// checkDeployment: one relay at a time, asked the right questions.
func (m *manifests) checkDeployment(t *testing.T) {
	t.Helper()
	spec := m.deployment.object.Spec
	if spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
		t.Errorf("the strategy is %q: a rolling update waits for a relay that waits for the slot", spec.Strategy.Type)
	}
	c := spec.Template.Spec.Containers[0]
	for probe, path := range map[*corev1.Probe]string{c.ReadinessProbe: "/readyz", c.LivenessProbe: "/livez"} {
		if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != path {
			t.Errorf("no probe asks %s", path)
		}
	}
	if grace := spec.Template.Spec.TerminationGracePeriodSeconds; grace == nil || *grace <= 20 {
		t.Error("a pod is killed before shutdown.timeout (20 s) is over")
	}
}

// checkSelectors: what selects the relay's pods does, and does not select the pruner's.
func (m *manifests) checkSelectors(t *testing.T) {
	t.Helper()
	relay, pruner := m.deployment.object.Spec.Template.Labels, m.cronJob.object.Spec.JobTemplate.Spec.Template.Labels
	for name, selector := range map[string]map[string]string{
		"Deployment": m.deployment.object.Spec.Selector.MatchLabels, "Service": m.service.Spec.Selector, "PodDisruptionBudget": m.budget.Spec.Selector.MatchLabels,
	} {
		if !matches(selector, relay) {
			t.Errorf("%s selects %v, the relay has %v", name, selector, relay)
		}
		if matches(selector, pruner) {
			t.Errorf("%s selects the pruner too", name)
		}
	}
	if m.policy.Name != "" && !matches(m.policy.Spec.PodSelector.MatchLabels, relay) {
		t.Error("the NetworkPolicy does not protect the relay")
	}
}

func matches(selector, labels map[string]string) bool {
	for name, value := range selector {
		if labels[name] != value {
			return false
		}
	}
	return len(selector) > 0
}

// checkPod: hardened, and its options are where it looks for them.
func (m *manifests) checkPod(t *testing.T, pod corev1.PodSpec, file string) {
	t.Helper()
	c := pod.Containers[0]
	if s := pod.SecurityContext; s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.SeccompProfile == nil {
		t.Errorf("%s may run as root or without seccomp", c.Name)
	}
	if s := c.SecurityContext; s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || s.AllowPrivilegeEscalation == nil ||
		*s.AllowPrivilegeEscalation || s.Capabilities == nil || len(s.Capabilities.Drop) != 1 {
		t.Errorf("%s may write its file system or gain rights", c.Name)
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		t.Errorf("%s gets a token of the cluster", c.Name)
	}
	if _, ok := c.Resources.Limits[corev1.ResourceMemory]; !ok {
		t.Errorf("%s has no limit of memory", c.Name)
	}
	for _, v := range pod.Volumes {
		if v.ConfigMap == nil {
			continue
		}
		if m.configs[v.ConfigMap.Name].Data[file] == "" {
			t.Errorf("%s mounts the ConfigMap %s, which has no %s", c.Name, v.ConfigMap.Name, file)
		}
		i := slices.IndexFunc(c.VolumeMounts, func(mount corev1.VolumeMount) bool { return mount.Name == v.Name })
		if i < 0 || !slices.Contains(c.Args, "-config="+c.VolumeMounts[i].MountPath+"/"+file) {
			t.Errorf("%s is started with %q and does not read %s", c.Name, c.Args, file)
		}
	}
}

func TestMonitoringManifests(t *testing.T) {
	t.Parallel()
	m := kustomized(t, "deploy/kubernetes/monitoring")
	base := kustomized(t, "deploy/kubernetes")
	if !matches(m.monitor.Spec.Selector.MatchLabels, base.service.Labels) {
		t.Errorf("the ServiceMonitor selects %v, the Service has %v", m.monitor.Spec.Selector.MatchLabels, base.service.Labels)
	}
	if m.monitor.Spec.Endpoints[0].Port != base.service.Spec.Ports[0].Name {
		t.Error("the ServiceMonitor names another port than the Service")
	}
	if job := base.service.Labels[m.monitor.Spec.JobLabel]; job != "outbox-relay" {
		t.Errorf("the job will be called %q, and the alerts look for outbox-relay", job)
	}
	if len(m.rule.Spec.Groups) == 0 || !strings.HasPrefix(m.rule.Spec.Groups[0].Rules[0].Alert, "OutboxRelay") {
		t.Error("the PrometheusRule has no alerts")
	}
}
