package lint_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// stages parses the Dockerfile with BuildKit's parser and linter; a warning of either is an error here.
func stages(t *testing.T) []instructions.Stage {
	t.Helper()
	tree, err := parser.Parse(bytes.NewReader(read(t, "Dockerfile")))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range tree.Warnings {
		t.Errorf("Dockerfile: %s", w.Short)
	}
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, message string, _ []parser.Range) {
		t.Errorf("Dockerfile: %s: %s", rule, message)
	}})
	all, _, err := instructions.Parse(tree.AST, lint)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// commands returns the instructions of a stage that are of one kind.
func commands[T any](s instructions.Stage) []T {
	var all []T
	for _, c := range s.Commands {
		if c, ok := c.(T); ok {
			all = append(all, c)
		}
	}
	return all
}

// TestImage: what hadolint would ask for, and what this image promises.
func TestImage(t *testing.T) {
	t.Parallel()
	all := stages(t)
	final := all[len(all)-1]
	users := commands[*instructions.UserCommand](final)
	if len(users) != 1 || !regexp.MustCompile(`^[1-9]\d*:[1-9]\d*$`).MatchString(users[0].User) {
		t.Errorf("the image runs as %v, want numbers that are not root's", users)
	}
	if run := commands[*instructions.RunCommand](final); len(run) > 0 {
		t.Error("the image is to hold no shell, but something is run in it")
	}
	for _, c := range commands[*instructions.CopyCommand](final) {
		if c.From == "" {
			t.Errorf("%s copies from the sources into the image", c)
		}
	}
	entries := commands[*instructions.EntrypointCommand](final)
	if len(entries) != 1 || entries[0].PrependShell {
		t.Error("ENTRYPOINT must be one list: a shell would keep SIGTERM for itself")
	}
	checks := commands[*instructions.HealthCheckCommand](final)
	if len(checks) != 1 || checks[0].Health.Test[0] != "CMD" || checks[0].Health.Test[1] != entries[0].CmdLine[0] {
		t.Errorf("HEALTHCHECK must run %v without a shell", entries)
	}
	for _, stage := range all {
		if _, tag, _ := strings.Cut(stage.BaseName, ":"); tag == "" || tag == "latest" {
			t.Errorf("FROM %s has no version", stage.BaseName)
		}
		if added := commands[*instructions.AddCommand](stage); len(added) > 0 {
			t.Error("ADD fetches and unpacks; use COPY")
		}
	}
}

// buildCommand is the line of the Dockerfile that compiles, with the given values of its arguments.
func buildCommand(t *testing.T, values map[string]string) string {
	t.Helper()
	for _, c := range commands[*instructions.RunCommand](stages(t)[0]) {
		line := strings.Join(c.CmdLine, " ")
		if strings.Contains(line, "go build") {
			return regexp.MustCompile(`\$\{(\w+)\}`).ReplaceAllStringFunc(line, func(v string) string { return values[strings.Trim(v, "${}")] })
		}
	}
	t.Fatal("nothing in the Dockerfile compiles")
	return ""
}

// TestImageBuilds runs the build of the Dockerfile on what .dockerignore lets through.
func TestImageBuilds(t *testing.T) {
	t.Parallel()
	out, src := t.TempDir(), t.TempDir()
	copyContext(t, src)
	line := buildCommand(t, map[string]string{"VERSION": "v1.2.3", "TARGETOS": "linux", "TARGETARCH": "amd64"})
	build := exec.CommandContext(bounded(t, 9*time.Minute), "sh", "-ec", strings.ReplaceAll(line, "/out/", out+"/"))
	build.Dir = src
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, text)
	}
	all := stages(t)
	for _, c := range commands[*instructions.CopyCommand](all[len(all)-1]) {
		for _, path := range c.SourcePaths {
			checkProgram(t, filepath.Join(out, filepath.Base(path)))
		}
	}
}

// checkProgram: it runs here, and would run in an image without libraries.
func checkProgram(t *testing.T, path string) {
	t.Helper()
	if static, err := isStatic(path); !static {
		t.Errorf("%s is not static (%v)", filepath.Base(path), err)
	}
	version, err := exec.CommandContext(bounded(t, time.Minute), path, "-version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(version), filepath.Base(path)+" v1.2.3 ") {
		t.Errorf("%s -version: %q, %v", filepath.Base(path), version, err)
	}
}
