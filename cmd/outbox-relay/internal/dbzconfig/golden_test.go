package dbzconfig_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

var update = flag.Bool("update", false, "write testdata/expected and the generated part of docs/compatibility.md")

// noFile is a machine without the files that placeholders name.
func noFile(string) ([]byte, error) { return nil, fs.ErrNotExist }

// TestPublicConfigurations compares what each configuration comes to with what a person has found right, on a machine
// where no variable and no file of the placeholders exists.
func TestPublicConfigurations(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/configs/[0-9]*")
	if err != nil || len(paths) < 70 {
		t.Fatalf("%d configurations, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !dbzconfig.Detect(content) {
				t.Error("not detected")
			}
			name := filepath.Base(path)
			res := dbzconfig.Import(dbzconfig.Input{Files: []dbzconfig.File{{Name: name, Content: content}}, ReadFile: noFile})
			golden(t, "testdata/expected/"+name[:3]+".txt", describe(res))
		})
	}
}

// shown is a flag's value, or *** for a secret.
func shown(f dbzconfig.Flag) string {
	if strings.HasSuffix(f.Name, ".password") && f.Value != "" {
		return "***"
	}
	return f.Value
}

// describe is a result for people.
func describe(res dbzconfig.Result) string {
	var b strings.Builder
	b.WriteString("FLAGS\n")
	for _, f := range res.Flags {
		if f.Unresolved != nil {
			fmt.Fprintf(&b, "  -%s=%s\n      unresolved, %s: %v\n", f.Name, shown(f), f.Source, f.Unresolved)
			continue
		}
		fmt.Fprintf(&b, "  -%s=%s\n      %s\n", f.Name, shown(f), f.Source)
	}
	section(&b, "NOTICES", len(res.Notices), func(i int) string { return res.Notices[i] })
	section(&b, "IGNORED", len(res.Ignored), func(i int) string { return res.Ignored[i].String() })
	section(&b, "REFUSALS", len(res.Refusals), func(i int) string {
		text := res.Refusals[i].Error()
		if r := res.Refusals[i].(*dbzconfig.Refusal); len(r.Flags) > 0 {
			text += " [settled by -" + strings.Join(r.Flags, ", -") + "]"
		}
		return text
	})
	return b.String()
}

func section(b *strings.Builder, title string, n int, line func(int) string) {
	fmt.Fprintf(b, "%s\n", title)
	for i := range n {
		fmt.Fprintf(b, "  %s\n", line(i))
	}
}

// golden compares a text with a file, or writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (run with -update to accept, then read it):\n%s", path, diff)
	}
}
