package deploy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestRelease: goreleaser builds each program as make build does, and packs files that exist.
func TestRelease(t *testing.T) {
	t.Parallel()
	var config struct {
		Builds []struct {
			Main, Binary        string
			Env, Flags, Ldflags []string
		}
		SBOMs []struct{ Artifacts string }
		NFPMs []struct {
			Contents []struct{ Src string }
		} `yaml:"nfpms"`
		Archives []struct{ Files []string }
	}
	if err := yaml.Unmarshal([]byte(read(t, ".goreleaser.yaml")), &config); err != nil {
		t.Fatal(err)
	}
	var built []string
	for _, b := range config.Builds {
		built = append(built, filepath.Base(b.Main))
		if !slices.Contains(b.Env, "CGO_ENABLED=0") || !slices.Contains(b.Flags, "-trimpath") || !strings.HasPrefix(b.Ldflags[0], "-s -w -X main.version=") {
			t.Errorf("%s is built with %q %q %q, otherwise than by make build", b.Binary, b.Env, b.Flags, b.Ldflags)
		}
	}
	if want := programs(t); !slices.Equal(slices.Sorted(slices.Values(built)), want) {
		t.Errorf("builds %v, want %v", built, want)
	}
	if len(config.SBOMs) == 0 {
		t.Error("no SBOM is made")
	}
	for _, n := range config.NFPMs {
		for _, c := range n.Contents {
			exists(t, c.Src)
		}
	}
	for _, file := range config.Archives[0].Files {
		exists(t, strings.ReplaceAll(file, "**", "*"))
	}
}

// programs are those that are released.
func programs(t *testing.T) []string {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(root, "cmd", "outbox-*"))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range folders {
		folders[i] = filepath.Base(f)
	}
	return folders
}

// exists insists that a pattern finds something in the repository.
func exists(t *testing.T, pattern string) {
	t.Helper()
	if found, err := filepath.Glob(filepath.Join(root, pattern)); err != nil || len(found) == 0 {
		t.Errorf("%s is packed and does not exist (%v)", pattern, err)
	}
}

// TestWorkflow: CI runs what developers run, on each PostgreSQL that is supported.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	var workflow struct {
		Jobs map[string]struct {
			Strategy struct {
				Matrix struct{ PostgreSQL []string }
			}
			Env   map[string]string
			Steps []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, ".github/workflows/ci.yml")), &workflow); err != nil {
		t.Fatal(err)
	}
	job := workflow.Jobs["test"]
	if want := []string{"14", "15", "16", "17", "18"}; !slices.Equal(job.Strategy.Matrix.PostgreSQL, want) {
		t.Errorf("CI tests PostgreSQL %v, want %v", job.Strategy.Matrix.PostgreSQL, want)
	}
	if !strings.Contains(job.Env["OUTBOX_TEST_PG_VERSION"], "matrix.postgresql") {
		t.Error("the tests are not told which PostgreSQL to use")
	}
	if !slices.ContainsFunc(job.Steps, func(s struct{ Run string }) bool { return s.Run == "bash .ci/run" }) {
		t.Error("CI does not run .ci/run")
	}
}

// TestLinksInDocuments: what the documents of this folder's subject link in the repository exists.
func TestLinksInDocuments(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "deploy/README.md", "docs/metrics.md", "docs/runbook.md"} {
		text := read(t, document)
		for i, part := range strings.Split(text, "](")[1:] {
			link, _, _ := strings.Cut(part, ")")
			file, anchor, _ := strings.Cut(link, "#")
			if strings.Contains(link, "://") {
				continue
			}
			target := document
			if file != "" {
				target = filepath.Join(filepath.Dir(document), file)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s, link %d: %v", document, i+1, err)
			} else if anchor != "" && !strings.Contains(strings.ToLower(read(t, target)), fmt.Sprintf("\n## %s\n", strings.ReplaceAll(anchor, "-", " "))) {
				t.Errorf("%s links %s, and there is no such section", document, link)
			}
		}
	}
}
