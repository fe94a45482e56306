package tty_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/tty"
	"github.com/outbox-relay/outbox-relay/cmd/internal/tty/ttytest"
)

func TestColor(t *testing.T) {
	terminal, _ := ttytest.Open(t)
	pipe, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	defer end.Close()
	tests := []struct {
		name          string
		w             io.Writer
		noColor, term string
		is, color     bool
	}{
		{"a terminal", terminal, "", "xterm", true, true},
		{"NO_COLOR", terminal, "1", "xterm", true, false},
		{"a dumb terminal", terminal, "", "dumb", true, false},
		{"a pipe", end, "", "xterm", false, false},
		{"no file", &bytes.Buffer{}, "", "xterm", false, false},
	}
	for _, test := range tests {
		t.Setenv("NO_COLOR", test.noColor)
		t.Setenv("TERM", test.term)
		if tty.Is(test.w) != test.is || tty.Color(test.w) != test.color {
			t.Errorf("%s: terminal %v, color %v", test.name, tty.Is(test.w), tty.Color(test.w))
		}
		want := "word"
		if test.color {
			want = "\x1b[1mword\x1b[0m"
		}
		if got := tty.InkFor(test.w).Bold("word"); got != want {
			t.Errorf("%s: got %q", test.name, got)
		}
	}
}
