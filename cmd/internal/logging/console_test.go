package logging_test

import (
	"bufio"
	"errors"
	"regexp"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/cmd/internal/tty/ttytest"
)

func TestConsoleOnATerminal(t *testing.T) {
	tests := []struct{ name, noColor, want string }{
		{"color", "", `^\x1b\[2m\S+Z\x1b\[0m \x1b\[33mwarn \x1b\[0m \x1b\[1mlost\x1b\[0m \x1b\[2merror=\x1b\[0m\x1b\[1m\x1b\[31mbroken\x1b\[0m \x1b\[2mslot=\x1b\[0ma\r\n$`},
		{"NO_COLOR", "1", `^\S+Z WARN  lost error=broken slot=a\r\n$`},
	}
	for _, test := range tests {
		terminal, other := ttytest.Open(t)
		t.Setenv("NO_COLOR", test.noColor)
		t.Setenv("TERM", "xterm")
		log, err := logging.New(terminal, "info", logging.Auto)
		if err != nil {
			t.Fatal(err)
		}
		log.Warn().Err(errors.New("broken")).Str("slot", "a").Msg("lost")
		line, err := bufio.NewReader(other).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(test.want).MatchString(line) {
			t.Errorf("%s: %q", test.name, line)
		}
	}
}
