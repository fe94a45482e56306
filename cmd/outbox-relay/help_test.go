package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// The help fits the narrowest terminal in use; a word that is longer stands alone.
func TestHelpIsNarrow(t *testing.T) {
	t.Parallel()
	code, help, _ := execute(t, nil, "-help")
	if code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for line := range strings.Lines(help) {
		line = strings.TrimSuffix(line, "\n")
		if len([]rune(line)) > 80 && strings.Contains(strings.TrimSpace(line), " ") {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
	tail := help[strings.Index(help, "\nExamples:\n"):]
	if !strings.Contains(tail, "source <(outbox-relay -completion bash)") || !strings.Contains(tail, "\nExit codes: 0 ") || strings.Contains(tail, " (default ") {
		t.Errorf("the help does not end with examples and exit codes:\n%s", tail)
	}
}

func TestManualPage(t *testing.T) {
	t.Parallel()
	code, page, _ := execute(t, nil, "-print-man")
	if code != 0 || !strings.HasPrefix(page, ".TH OUTBOX\\-RELAY 8") || !strings.Contains(page, "\\fB\\-slot.name\\fR \\fIslot\\fR (default outbox_relay)") {
		t.Fatalf("exit code %d, page %.300s", code, page)
	}
	if _, err := exec.LookPath("mandoc"); err != nil {
		t.Skip("mandoc is not installed (Debian: mandoc)")
	}
	cmd := exec.CommandContext(t.Context(), "mandoc", "-T", "lint", "-W", "warning")
	cmd.Stdin = strings.NewReader(page)
	out, _ := cmd.CombinedOutput() // any complaint makes the exit code 2
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "missing date") {
			t.Error(line)
		}
	}
}

// The shells take the scripts of all options.
func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, script, _ := execute(t, nil, "-completion", shell)
		if code != 0 || !strings.Contains(script, "bootstrap.servers") {
			t.Errorf("%s: exit code %d, %.200s", shell, code, script)
		}
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("%s is not installed", shell)
			continue
		}
		cmd := exec.CommandContext(t.Context(), shell, "-n", "/dev/stdin")
		cmd.Stdin = bytes.NewBufferString(script)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
	}
}
