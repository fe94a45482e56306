package options_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

// script writes the completion script of a shell into a file, or skips the test where there is no such shell.
func script(t *testing.T, shell string) (path string) {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("%s is not installed", shell)
	}
	var out bytes.Buffer
	if err := sample(&config{}).Completion(&out, shell); err != nil {
		t.Fatal(err)
	}
	return write(t, "completion."+shell, out.String())
}

// output runs a command and returns the lines that it prints.
func output(t *testing.T, dir, name string, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "TERM=dumb")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return strings.Fields(string(out))
}

// typed asks bash, as it does itself for a tab: the words of the line are cut at = as well.
const typed = `source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
complete -p outbox-sample >/dev/null || exit 1
_outbox_sample
printf '%s\n' "${COMPREPLY[@]}"`

func TestBashCompletion(t *testing.T) {
	t.Parallel()
	path := script(t, "bash")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a file.conf"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		words []string
		want  []string
	}{
		{"names", []string{"-sec"}, []string{"-security.protocol", "-security.mode"}},
		{"two dashes", []string{"--sec"}, []string{"--security.protocol", "--security.mode"}},
		{"a value", []string{"-log.level", "i"}, []string{"info"}},
		{"a value behind two dashes", []string{"--log.level", "d"}, []string{"debug"}},
		{"all values", []string{"-log.level", ""}, []string{"debug", "info", "error"}},
		{"a value behind =", []string{"-log.level", "=", "e"}, []string{"error"}},
		{"nothing behind =", []string{"-log.level", "="}, []string{"debug", "info", "error"}},
		{"a file", []string{"-config", "a"}, []string{"a", "file.conf"}},
		{"a free value", []string{"-slot.name", "-"}, nil},
		{"a name behind a switch", []string{"-slot.create", "-off"}, []string{"-offset"}},
		{"hidden ones are not offered", []string{"-internal"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"--norc", "-c", typed, "bash", path, "outbox-sample"}, test.words...)
			if diff := cmp.Diff(test.want, output(t, dir, "bash", args...)); diff != "" && len(test.want) > 0 {
				t.Error(diff)
			} else if got := output(t, dir, "bash", args...); len(test.want) == 0 && len(got) > 0 {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestFishCompletion(t *testing.T) {
	t.Parallel()
	path := script(t, "fish")
	tests := []struct{ line, want string }{
		{"-log.lev", "-log.level"},
		{"-log.level i", "info"},
		{"-security.mode verify-f", "verify-full"},
		{"-slot.cre", "-slot.create"},
	}
	for _, test := range tests {
		got := output(t, t.TempDir(), "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", path, "outbox-sample "+test.line)
		if len(got) == 0 || got[0] != test.want {
			t.Errorf("%s: got %q, want %s", test.line, got, test.want)
		}
	}
}

// zshTab starts a zsh of its own in a pseudo-terminal, types a line and a tab, and prints what the line became.
const zshTab = `zmodload zsh/zpty
zpty shell zsh -f -i
expect() { local all= part; while zpty -r shell part "*$1*"; do all+=$part; [[ $all == *$1* ]] && break; done }
zpty -w shell "PS1=; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source ${(q)1}; print READ''Y"
expect READY
zpty -w shell "show() { print -r -- \"<<\$BUFFER>>\" }; zle -N show; bindkey '^T' show; bindkey '^I' expand-or-complete; print SE''T"
expect SET
zpty -w -n shell "$2"$'\t\x14'
all=; while zpty -r shell part; do all+=$part; [[ $all == *'>>'* ]] && break; done
zpty -d shell
print -r -- ${${all#*<<}%%>>*}`

func TestZshCompletion(t *testing.T) {
	t.Parallel()
	path := script(t, "zsh")
	tests := []struct{ line, want string }{
		{"-log.lev", "outbox-sample -log.level"},
		{"-log.level in", "outbox-sample -log.level info"},
		{"-log.level=in", "outbox-sample -log.level=info"},
		{"-slot.cre", "outbox-sample -slot.create"},
	}
	for _, test := range tests {
		got := strings.Join(output(t, t.TempDir(), "zsh", "-f", "-c", zshTab, "zsh", path, "outbox-sample "+test.line), " ")
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got %q, want %s", test.line, got, test.want)
		}
	}
}

func TestUnknownShell(t *testing.T) {
	t.Parallel()
	if err := sample(&config{}).Completion(&bytes.Buffer{}, "csh"); err == nil {
		t.Error("no error for csh")
	}
	var mistakes *options.MistakesError
	if err := sample(&config{}).Parse([]string{"-slot.name=s", "-completion=csh"}, nil); !errors.As(err, &mistakes) {
		t.Errorf("got %v, want a mistake", err)
	}
}
