package lint_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// project loads the compose file as docker compose does: schema, references between services, start order.
func project(t *testing.T) *types.Project {
	t.Helper()
	details := types.ConfigDetails{
		WorkingDir:  root,
		ConfigFiles: []types.ConfigFile{{Filename: "docker-compose.yml", Content: read(t, "docker-compose.yml")}},
		Environment: types.Mapping{},
	}
	p, err := loader.LoadWithContext(bounded(t, time.Minute), details)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestComposeHasEverything that the README promises to show.
func TestComposeHasEverything(t *testing.T) {
	t.Parallel()
	p := project(t)
	for _, name := range []string{"postgres", "kafka", "topics", "relay", "producer", "consumer", "prometheus", "grafana", "kafka-ui"} {
		if _, err := p.GetService(name); err != nil {
			t.Error(err)
		}
	}
}

// TestComposeStartOrder: who waits for a healthy service waits for one with a health check, and who waits for the end of a service
// for one that ends.
func TestComposeStartOrder(t *testing.T) {
	t.Parallel()
	p := project(t)
	for name, s := range p.Services {
		for other, d := range s.DependsOn {
			checked := p.Services[other].HealthCheck != nil || p.Services[other].Build != nil // the image's own
			if d.Condition == types.ServiceConditionHealthy && !checked {
				t.Errorf("%s waits for %s to be healthy, which has no health check", name, other)
			}
			if d.Condition == types.ServiceConditionCompletedSuccessfully && p.Services[other].Restart != "" {
				t.Errorf("%s waits for the end of %s, which is restarted", name, other)
			}
			if d.Condition == types.ServiceConditionStarted {
				t.Errorf("%s only waits until %s was started, which says nothing", name, other)
			}
		}
	}
}

// TestComposeMounts: what is mounted exists, and nothing of the host can be written.
func TestComposeMounts(t *testing.T) {
	t.Parallel()
	p := project(t)
	for name, s := range p.Services {
		for _, v := range s.Volumes {
			if v.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(v.Source); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !v.ReadOnly {
				t.Errorf("%s may write %s", name, v.Source)
			}
		}
		for _, secret := range s.Secrets {
			if _, err := os.Stat(p.Secrets[secret.Source].File); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestComposeIsPrivate: ports are published on this machine only, and images have a version.
func TestComposeIsPrivate(t *testing.T) {
	t.Parallel()
	for name, s := range project(t).Services {
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes port %s on %q", name, port.Published, port.HostIP)
			}
		}
		_, tag, _ := strings.Cut(s.Image, ":")
		if s.Build == nil && s.Image != "outbox-relay" && (tag == "" || tag == "latest") {
			t.Errorf("%s runs the image %s, whatever it is today", name, s.Image)
		}
	}
}

// TestComposeHardens our own programs.
func TestComposeHardens(t *testing.T) {
	t.Parallel()
	for name, s := range project(t).Services {
		if s.Image != "outbox-relay" {
			continue
		}
		if !s.ReadOnly || len(s.CapDrop) != 1 || s.CapDrop[0] != "ALL" || len(s.SecurityOpt) == 0 {
			t.Errorf("%s may write its file system or has capabilities", name)
		}
		if s.StopGracePeriod == nil || time.Duration(*s.StopGracePeriod) <= 20*time.Second {
			t.Errorf("%s is killed before -shutdown.timeout is over", name)
		}
	}
}
