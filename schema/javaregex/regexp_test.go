package javaregex_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/schema/javaregex"
)

// TestLikeJava replays what java.util.regex itself did.
func TestLikeJava(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/java.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		cases++
		p := strings.Split(lines.Text(), "\t")
		pattern, replacement, text := unquote(t, p[0]), unquote(t, p[1]), unquote(t, p[2])
		want := p[3]
		if result, ok := strings.CutPrefix(want, "ok "); ok {
			want = "ok " + unquote(t, result)
		}
		if got := run(pattern, replacement, text); got != want {
			t.Errorf("%s on %q with %q: %q, want %q", pattern, text, replacement, got, want)
		}
	}
	if cases < 80 {
		t.Errorf("only %d cases", cases)
	}
}

func run(pattern, replacement, text string) string {
	re, err := javaregex.Compile(pattern)
	if err != nil {
		return "pattern"
	}
	if ok, err := re.Matches(text); err != nil || !ok {
		return "nomatch"
	}
	with, err := re.ParseReplacement(replacement)
	if err != nil {
		return "replacement"
	}
	out, err := re.ReplaceFirst(text, with)
	if err != nil {
		return err.Error()
	}
	return "ok " + out
}

func unquote(t *testing.T, quoted string) string {
	t.Helper()
	var s string
	if err := json.Unmarshal([]byte(quoted), &s); err != nil {
		t.Fatalf("%s: %v", quoted, err)
	}
	return s
}

func TestReplacementErrors(t *testing.T) {
	t.Parallel()
	re, err := javaregex.Compile("(?<name>U)(s)?.*")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"$3":      "no group 3",
		"${x}":    `no group named "x"`,
		"${1}":    "starts with a letter",
		"${}":     "starts with a letter",
		"${name":  "letters and digits",
		"${n-me}": "letters and digits",
		"a$":      "dollar",
		"$x":      "dollar",
		`a\`:      "backslash",
	} {
		if _, err := re.ParseReplacement(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", text, err, want)
		}
	}
}

func TestCompileFold(t *testing.T) {
	t.Parallel()
	re, err := javaregex.CompileFold(`public\.Outbox_\w+`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"PUBLIC.outbox_A": true, "public.outbox": false, "xpublic.outbox_a": false} {
		if got, err := re.Matches(text); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{"(?<a>.*)", `[a-z&&[^x]]+`, `\Qa\E*`, `(?i:\x{41})`, `\p{L}{2,3}+`, "(?x) a # b", "[", "(?", `\`, "a{2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		if len(pattern) > 40 {
			return
		}
		re, err := javaregex.Compile(pattern)
		if err == nil && re.String() != pattern {
			t.Errorf("%q became %q", pattern, re)
		}
	})
}
