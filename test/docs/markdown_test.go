package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the repository's folder.
const root = "../.."

// document is one Markdown file.
type document struct {
	path   string // from the root
	prose  string // the text without its code blocks
	blocks []block
}

// block is a piece of code in a document: fenced, or indented by four blanks or more.
type block struct {
	language string // behind the fence
	mark     string // of an HTML comment in the line before
	text     string
	line     int // of the first line of the text
}

// documents are all that people read.
func documents(t testing.TB) []document {
	t.Helper()
	var all []document
	for _, pattern := range []string{"*.md", "docs/*.md", "deploy/*.md", "examples/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: nothing found (%v)", pattern, err)
		}
		for _, path := range paths {
			all = append(all, read(t, filepath.ToSlash(strings.TrimPrefix(path, root+"/"))))
		}
	}
	return all
}

// read reads the document at a path from the root.
func read(t testing.TB, path string) document {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return parse(path, string(text))
}

var (
	fence   = regexp.MustCompile("^( *)```(\\w*)$")
	comment = regexp.MustCompile(`^ *<!-- (.+) -->$`)
)

// parse tells code from prose.
func parse(path, text string) document {
	d := document{path: path}
	lines := strings.Split(text, "\n")
	mark := ""
	for i := 0; i < len(lines); i++ {
		opening := fence.FindStringSubmatch(lines[i])
		switch {
		case opening != nil:
			end := i + 1
			for end < len(lines) && strings.TrimSpace(lines[end]) != "```" {
				end++
			}
			d.add(opening[2], mark, lines[i+1:end], i+2)
			i, mark = end, ""
		case strings.HasPrefix(lines[i], "    ") && (i == 0 || strings.TrimSpace(lines[i-1]) == ""):
			end := i
			for end < len(lines) && (strings.HasPrefix(lines[end], "    ") || lines[end] == "" && end+1 < len(lines) && strings.HasPrefix(lines[end+1], "    ")) {
				end++
			}
			d.add("", mark, lines[i:end], i+1)
			i, mark = end-1, ""
		default:
			if m := comment.FindStringSubmatch(lines[i]); m != nil {
				mark = m[1]
			} else if lines[i] != "" {
				mark = ""
			}
			d.prose += lines[i] + "\n"
		}
	}
	return d
}

// add appends a block without the indentation that all of its lines have.
func (d *document) add(language, mark string, lines []string, line int) {
	indent := -1
	for _, l := range lines {
		if blanks := len(l) - len(strings.TrimLeft(l, " ")); l != "" && (indent < 0 || blanks < indent) {
			indent = blanks
		}
	}
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(l[min(max(indent, 0), len(l)):] + "\n")
	}
	d.blocks = append(d.blocks, block{language, mark, text.String(), line})
}

// in returns the blocks of a language.
func (d document) in(language string) []block {
	return slices.DeleteFunc(slices.Clone(d.blocks), func(b block) bool { return b.language != language })
}
