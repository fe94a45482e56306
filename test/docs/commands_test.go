package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

const prunerPackage = "github.com/outbox-relay/outbox-relay/cmd/outbox-pruner"

// TestCommands gives every command line of the documents that starts one of the programs to that program. The relay
// prints what it comes to; the pruner, which has nothing like that, gets as far as the connection. A word … stands for
// what the reader knows and is left out.
func TestCommands(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	n := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			for _, line := range commandLines(b.text) {
				for _, words := range shellWords(t, dir, line) {
					n++
					t.Run(fmt.Sprintf("%s:%d", d.path, b.line), func(t *testing.T) { try(t, dir, words) })
				}
			}
		}
	}
	if n < 25 {
		t.Errorf("only %d command lines found", n)
	}
}

// TestFilesOfOptions gives the relay the files of options that the documents show.
func TestFilesOfOptions(t *testing.T) {
	t.Parallel()
	n := 0
	for _, d := range documents(t) {
		for _, b := range d.in("properties") {
			n++
			path := filepath.Join(t.TempDir(), "options")
			if err := os.WriteFile(path, []byte(b.text), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Run(d.path, func(t *testing.T) { try(t, t.TempDir(), []string{"outbox-relay", "-config", path}) })
		}
	}
	if n == 0 {
		t.Error("no file of options found")
	}
}

// starts finds our programs where a command begins: behind assignments, a schedule of cron, or go run. A line of options
// alone is for the relay.
var (
	starts   = regexp.MustCompile(`^(?:[A-Z_]+=\S* |[*/0-9]+ )*(?:outbox-relay|outbox-pruner|go run \./cmd/outbox-(?:relay|pruner))(?: |$)|\| outbox-`)
	assigns  = regexp.MustCompile(`^(?:[A-Z_]+=\S* |[*/0-9]+ )+`)
	optional = regexp.MustCompile(`^-[a-z]`)
)

// commandLines returns the lines of a block that start a program, with what is continued behind a backslash.
func commandLines(text string) []string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		line = strings.TrimSpace(line)
		switch {
		case optional.MatchString(line):
			lines = append(lines, "outbox-relay "+line)
		case starts.MatchString(line):
			line = assigns.ReplaceAllString(line, "")
			lines = append(lines, strings.Replace(line, "go run ./cmd/", "", 1))
		}
	}
	return lines
}

// shellWords lets a shell take a line apart, and returns the words of each of our programs in it. Nothing is run.
func shellWords(t testing.TB, dir, line string) [][]string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "words")
	script := `psql() { :; }; curl() { :; }
for p in outbox-relay outbox-pruner; do eval "$p() { printf '%s\0' $p \"\$@\" >>\"\$WORDS\"; printf '\n' >>\"\$WORDS\"; }"; done
` + line
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "WORDS=" + out, "BROKERS=localhost:9092", "KAFKA=localhost:9092",
		"DATABASE_URL=postgres://outbox_relay@localhost/shop", "DB=postgres://postgres@localhost/shop",
	}
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v in %s: %s", err, line, said)
		return nil
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Errorf("%s starts none of the programs: %v", line, err)
		return nil
	}
	var all [][]string
	for call := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\x00\n") {
		words := strings.Split(strings.TrimSuffix(call, "\x00"), "\x00")
		all = append(all, slices.DeleteFunc(words, func(w string) bool { return w == "…" }))
	}
	return all
}

// try gives a command line to its program.
func try(t *testing.T, dir string, words []string) {
	t.Helper()
	args := located(words[1:], dir)
	pkg, want := procs.RelayPackage, 0
	switch {
	case slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-healthcheck") }):
		want = 1 // no relay runs here
	case slices.ContainsFunc(args, printsOnly):
	case words[0] == "outbox-relay":
		args = append(args, "-config.print")
	default: // it cannot connect
		args, want = append(args, "-once", "-database.password.file=", "-database.url=postgres://nobody@127.0.0.1:1/none?sslmode=disable"), 1
	}
	if words[0] == "outbox-pruner" {
		pkg = prunerPackage
	}
	p := proctest.StartProgram(t, procs.Config{Path: proctest.Build(t, pkg), Args: args, Dir: dir})
	if code, err := p.Wait(wait.Context(t, time.Minute)); err != nil || code != want {
		t.Errorf("%q ends with %d (%v), want %d", words, code, err, want)
	}
}

// printsOnly reports an option that prints something instead of running.
func printsOnly(arg string) bool {
	for _, name := range []string{"-print-", "-help", "-version", "-completion"} {
		if strings.HasPrefix(arg, name) {
			return true
		}
	}
	return false
}

// located puts the files of the test in the place of those that a document names by their absolute path.
func located(args []string, dir string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		if _, ours := files[filepath.Base(a)]; ours && strings.HasPrefix(a, "/") {
			out[i] = filepath.Join(dir, filepath.Base(a))
		}
	}
	return out
}
