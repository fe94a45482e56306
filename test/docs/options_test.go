package docs_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

var update = flag.Bool("update", false, "write docs/configuration.md anew")

const reference = "docs/configuration.md"

// printOptions is the reference of a program.
func printOptions(t testing.TB, pkg string) string {
	t.Helper()
	out, err := exec.CommandContext(wait.Context(t, time.Minute), proctest.Build(t, pkg), "-print-options").Output()
	if err != nil {
		t.Fatalf("%s -print-options: %v", pkg, err)
	}
	return string(out)
}

// TestConfigurationReference compares docs/configuration.md with what the programs declare.
func TestConfigurationReference(t *testing.T) {
	t.Parallel()
	path := filepath.Join(root, reference)
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := string(have)
	for name, pkg := range map[string]string{"outbox-relay": procs.RelayPackage, "outbox-pruner": prunerPackage} {
		before, rest, opened := strings.Cut(want, "<!-- "+name+" -->\n")
		_, after, closed := strings.Cut(rest, "<!-- end -->")
		if !opened || !closed {
			t.Fatalf("%s has no place for the options of %s", reference, name)
		}
		want = before + "<!-- " + name + " -->\n" + printOptions(t, pkg) + "<!-- end -->" + after
	}
	switch {
	case bytes.Equal(have, []byte(want)):
	case *update:
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the programs declare (make docs):\n%s", reference, cmp.Diff(string(have), want))
	}
}

var (
	declared  = regexp.MustCompile("(?m)^\\| `(-[^`]+)`")
	mentioned = regexp.MustCompile("`(-[a-z][a-z0-9.-]*)[^`]*`")
)

// foreign are options of other programs that documents mention.
var foreign = map[string]bool{
	"-c": true, "-name": true, "-pooler": true, "-trimpath": true, "-race": true, "-run": true, "-full": true, "-update": true, "-args": true, "-bench": true,
	"-test": true, "-read-only": true,
}

// TestMentionedOptionsExist looks up every option that a document mentions in passing.
func TestMentionedOptionsExist(t *testing.T) {
	t.Parallel()
	there := map[string]bool{}
	for _, m := range declared.FindAllStringSubmatch(printOptions(t, procs.RelayPackage)+printOptions(t, prunerPackage), -1) {
		there[m[1]] = true
	}
	for _, d := range documents(t) {
		for _, m := range mentioned.FindAllStringSubmatch(d.prose, -1) {
			if name := strings.TrimSuffix(m[1], "."); !there[name] && !foreign[name] {
				t.Errorf("%s mentions the option %s, which no program has", d.path, name)
			}
		}
	}
}
