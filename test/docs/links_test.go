package docs_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)|<img [^>]*src="([^"]+)"|srcset="([^"]+)"`)
	title  = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	linked = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// TestLinks looks up every file, section and image that a document points to in the repository.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, d := range documents(t) {
		for _, target := range d.targets() {
			file, anchor, _ := strings.Cut(target, "#")
			if strings.Contains(file, "://") || strings.HasPrefix(file, "mailto:") {
				continue
			}
			if file == "" {
				file = d.path
			} else {
				file = path.Join(path.Dir(d.path), file)
			}
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("%s links %s: %v", d.path, target, err)
			} else if anchor != "" && strings.HasSuffix(file, ".md") && !read(t, file).anchors()[anchor] {
				t.Errorf("%s links %s: there is no such section", d.path, target)
			}
		}
	}
}

// targets are what a document points to.
func (d document) targets() []string {
	var all []string
	for _, m := range link.FindAllStringSubmatch(d.prose, -1) {
		all = append(all, m[1]+m[2]+m[3])
	}
	return all
}

// anchors are the names of a document's sections, as GitHub makes them.
func (d document) anchors() map[string]bool {
	all := map[string]bool{}
	for _, m := range title.FindAllStringSubmatch(d.prose, -1) {
		name := anchor(m[1])
		for n := 1; all[name]; n++ {
			name = fmt.Sprintf("%s-%d", anchor(m[1]), n)
		}
		all[name] = true
	}
	return all
}

func anchor(title string) string {
	title = linked.ReplaceAllString(title, "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

func TestAnchor(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"What it guarantees, and what breaks it":         "what-it-guarantees-and-what-breaks-it",
		"Converters (`key.converter.`, `value.`)":        "converters-keyconverter-value",
		"a) Killed before the broker call":               "a-killed-before-the-broker-call",
		"See [the page](x.md) of max_slot_wal_keep_size": "see-the-page-of-max_slot_wal_keep_size",
	} {
		if got := anchor(title); got != want {
			t.Errorf("%s: got %s, want %s", title, got, want)
		}
	}
}

// TestIndex: docs/README.md leads to every document, and the README to docs/README.md.
func TestIndex(t *testing.T) {
	t.Parallel()
	index := map[string]bool{}
	for _, target := range read(t, "docs/README.md").targets() {
		index[path.Join("docs", target)] = true
	}
	for _, d := range documents(t) {
		if strings.HasPrefix(d.path, "docs/") && d.path != "docs/README.md" && !index[d.path] {
			t.Errorf("docs/README.md does not lead to %s", d.path)
		}
	}
	for _, target := range read(t, "README.md").targets() {
		if target == "docs/README.md" {
			return
		}
	}
	t.Error("README.md does not lead to docs/README.md")
}
