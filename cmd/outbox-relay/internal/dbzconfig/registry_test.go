package dbzconfig_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

// TestRegistry checks the table itself: names once, a reason wherever something is not honored, new names that exist.
func TestRegistry(t *testing.T) {
	t.Parallel()
	options := dbzconfig.Options()
	known := map[string]dbzconfig.Option{}
	for _, o := range options {
		key := string(rune('0'+int(o.Scope))) + o.Name
		if _, again := known[key]; again {
			t.Errorf("%s is there twice", o.Name)
		}
		known[key] = o
	}
	for _, o := range options {
		if o.Reason == "" && (o.Status != dbzconfig.Honored || o.Flag == "-") {
			t.Errorf("%s is %s without a reason", o.Name, o.Status)
		}
		fresh, ok := known[string(rune('0'+int(o.Scope)))+o.NewName]
		if o.Status == dbzconfig.Obsolete && (!ok || fresh.Status == dbzconfig.Obsolete) {
			t.Errorf("%s: there is no option %s", o.Name, o.NewName)
		}
		if strings.Contains(o.Reason, "  ") || strings.HasSuffix(o.Reason, ".") {
			t.Errorf("%s: reason %q", o.Name, o.Reason)
		}
	}
}

// TestFlagNames lists what the command must have, so that nobody takes a flag away without a look here.
func TestFlagNames(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/expected/flags.txt", strings.Join(dbzconfig.FlagNames(), "\n")+"\n")
}

// TestOnlyKnownFlags checks that the public configurations set no other flag than FlagNames tells.
func TestOnlyKnownFlags(t *testing.T) {
	t.Parallel()
	names := dbzconfig.FlagNames()
	entries, err := os.ReadDir("testdata/configs")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		content, err := os.ReadFile("testdata/configs/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range dbzconfig.Import(files(string(content))).Flags {
			if !slices.Contains(names, f.Name) {
				t.Errorf("%s sets -%s", e.Name(), f.Name)
			}
		}
	}
}

// TestNoSecretShown puts a password wherever the public configurations have one, and looks for it in all that is shown.
func TestNoSecretShown(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("testdata/configs")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range entries {
		content, err := os.ReadFile("testdata/configs/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		res := dbzconfig.Import(files(strings.ReplaceAll(string(content), "change-me", "hunter2")))
		if strings.Contains(describe(res), "hunter2") {
			t.Errorf("%s shows a password", e.Name())
		}
		if value(res, "database.password") == "hunter2" {
			found++
		}
	}
	if found < 30 {
		t.Errorf("only %d configurations with a password; the test has lost its point", found)
	}
}

const (
	document = "../../../../docs/compatibility.md"
	begin    = "<!-- begin of the options: go test ./cmd/outbox-relay/internal/dbzconfig -update -->\n"
	end      = "<!-- end of the options -->\n"
)

// TestDocument compares the table of options in the documentation with the registry, or writes it.
func TestDocument(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(document)
	if err != nil && !(*update && os.IsNotExist(err)) {
		t.Fatal(err)
	}
	text := string(content)
	before, rest, ok := strings.Cut(text, begin)
	generated, after, closed := strings.Cut(rest, end)
	if !ok && !*update || ok && !closed {
		t.Fatalf("%s has no part between %q and %q", document, begin, end)
	}
	if !*update {
		if diff := cmp.Diff(dbzconfig.Markdown(), generated); diff != "" {
			t.Errorf("run with -update:\n%s", diff)
		}
		return
	}
	if !ok && before != "" {
		before += "\n"
	}
	if before == "" {
		before = "# Compatibility with Debezium\n\n## Options\n\n"
	}
	if err := os.WriteFile(document, []byte(before+begin+dbzconfig.Markdown()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
