package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	testName   = regexp.MustCompile("`(?:([\\w/]+)/)?(Test[A-Z]\\w*)`|-run '?(Test\\w+)")
	testFunc   = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	makeQuoted = regexp.MustCompile("`make ([a-z]+)")
	makeTyped  = regexp.MustCompile(`(?m)^make ([a-z]+)`)
)

// TestNamedTestsExist: what a document says is proven by a test has that test, in the folder that it names, if any.
func TestNamedTestsExist(t *testing.T) {
	t.Parallel()
	there := tests(t)
	for _, d := range documents(t) {
		text := d.prose
		for _, b := range d.blocks {
			text += b.text
		}
		for _, m := range testName.FindAllStringSubmatch(text, -1) {
			folder, name := m[1], m[2]+m[3]
			if !slices.ContainsFunc(there[name], func(dir string) bool { return strings.HasSuffix(dir, "/"+folder) || folder == "" }) {
				t.Errorf("%s names the test %s, which does not exist there", d.path, strings.Trim(m[0], "`"))
			}
		}
	}
}

// tests are the folders of all tests of the repository by their names.
func tests(t testing.TB) map[string][]string {
	t.Helper()
	there := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range testFunc.FindAllSubmatch(text, -1) {
			there[string(m[1])] = append(there[string(m[1])], filepath.ToSlash(filepath.Dir(path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// TestMakeTargetsExist: make can do what the documents tell to make.
func TestMakeTargetsExist(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documents(t) {
		named := makeQuoted.FindAllStringSubmatch(d.prose, -1)
		for _, b := range d.blocks {
			named = append(named, makeTyped.FindAllStringSubmatch(b.text, -1)...)
		}
		for _, m := range named {
			if !strings.Contains(string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s: there is no make %s", d.path, m[1])
			}
		}
	}
}
