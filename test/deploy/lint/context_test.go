package lint_test

import (
	"bytes"
	"debug/elf"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// copyContext copies what the builder would get: all files but those that .dockerignore names.
func copyContext(t *testing.T, to string) {
	t.Helper()
	patterns, err := ignorefile.ReadAll(bytes.NewReader(read(t, ".dockerignore")))
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || d.Name() == ".git" {
			return fs.SkipDir
		}
		if skip, err := ignored.MatchesOrParentMatches(name); err != nil || skip || d.IsDir() {
			return err
		}
		return copyFile(path, filepath.Join(to, name))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// TestContext: nothing but what the build reads goes to the builder.
func TestContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	copyContext(t, dir)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, dir+"/")
		if !d.IsDir() && filepath.Ext(name) != ".go" && !strings.HasPrefix(name, "go.") && filepath.Ext(name) != ".sql" {
			t.Logf("goes to the builder: %s", name)
		}
		if strings.HasPrefix(name, "test/") || strings.HasPrefix(name, "deploy/") || strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s goes to the builder", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isStatic reports whether a program needs no dynamic linker.
func isStatic(path string) (bool, error) {
	file, err := elf.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			return false, nil
		}
	}
	return true, nil
}
