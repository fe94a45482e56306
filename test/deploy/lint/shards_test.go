package lint_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"
)

// TestShardedStatefulSet reads the StatefulSet of docs/sharding.md strictly: it has a pod for each shard, which gets its
// number from the label that Kubernetes gives it.
func TestShardedStatefulSet(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(string(read(t, "docs/sharding.md")), "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	var set appsv1.StatefulSet
	if err := yaml.UnmarshalStrict([]byte(text), &set); err != nil {
		t.Fatal(err)
	}
	if set.Kind != "StatefulSet" || set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement || set.Spec.Replicas == nil || *set.Spec.Replicas != 4 {
		t.Fatalf("it is a %s with the policy %q", set.Kind, set.Spec.PodManagementPolicy)
	}
	env := map[string]string{}
	for _, v := range set.Spec.Template.Spec.Containers[0].Env {
		if env[v.Name] = v.Value; v.ValueFrom != nil && v.ValueFrom.FieldRef != nil {
			env[v.Name] = v.ValueFrom.FieldRef.FieldPath
		}
	}
	if env["OUTBOX_RELAY_SHARD_COUNT"] != "4" || env["OUTBOX_RELAY_SHARD_INDEX"] != "metadata.labels['"+appsv1.PodIndexLabel+"']" {
		t.Errorf("the environment is %v", env)
	}
}
