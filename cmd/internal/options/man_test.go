package options_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

func TestManHasEverything(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := sample(&config{}).Man(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		".TH OUTBOX\\-SAMPLE 8 ", "outbox\\-sample \\- shows what options look like\n", ".SS Broker\n",
		"\\fB\\-security.mode\\fR \\fIstring\\fR (no default)\n", "(default ***)", ".SH EXIT STATUS\n0 stopped in order, 2 configuration.\n",
		".SH EXAMPLES\n", "\noutbox\\-sample \\-slot.name sample \\-bootstrap.servers localhost:9092\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	for _, never := range []string{"internal.test", "s3cret"} {
		if strings.Contains(out.String(), never) {
			t.Errorf("%q in:\n%s", never, out.String())
		}
	}
}

// The readers of manual pages find nothing wrong with it.
func TestManIsValid(t *testing.T) {
	t.Parallel()
	s := options.New(options.Program{
		Name: "outbox-odd", Summary: "Has texts with a meaning to roff. It is for tests.",
		Examples: []string{"# 'Quoted' \\ and `back`:\noutbox-odd -a '~^' \\\\"},
		Footer:   ".TH is no title here.\n\nExit codes: 0 fine.",
	})
	s.Group("'Group'").String(new(string), "a", "", ".start with a dot… and 'quotes' \\fBnot bold\\fR")
	var page bytes.Buffer
	if err := s.Man(&page); err != nil {
		t.Fatal(err)
	}
	readers := [][]string{{"mandoc", "-T", "lint", "-W", "warning"}, {"groff", "-man", "-Tutf8", "-ww", "-z"}}
	ran := false
	for _, reader := range readers {
		if _, err := exec.LookPath(reader[0]); err != nil {
			continue
		}
		ran = true
		cmd := exec.CommandContext(t.Context(), reader[0], reader[1:]...)
		cmd.Stdin = bytes.NewReader(page.Bytes())
		out, _ := cmd.CombinedOutput() // any complaint makes mandoc's exit code 2
		for line := range strings.Lines(string(out)) {
			if !strings.Contains(line, "missing date") { // the page has none, so that it is the same for each build
				t.Errorf("%s: %s\n%s", strings.Join(reader, " "), line, page.String())
			}
		}
	}
	if !ran {
		t.Skip("neither mandoc nor groff is installed")
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct{ args, want string }{
		{"-help", "\nBroker:\n"},
		{"-h", "\nBroker:\n"},
		{"-version", "outbox-sample 1.2.3\n"},
		{"-completion fish", "complete -c outbox-sample -o slot.name -x -d"},
		{"-completion", "complete -F _outbox_sample outbox-sample\n"},
		{"-print-man", ".TH OUTBOX"},
		{"-nonsense -print-man", ".TH OUTBOX"},
	}
	for _, test := range tests {
		s := sample(&config{})
		var out bytes.Buffer
		answered, err := s.Answer(&out, "1.2.3", s.Parse(strings.Fields(test.args), nil))
		if !answered || err != nil || !strings.Contains(out.String(), test.want) {
			t.Errorf("%s: answered %v, %v:\n%s", test.args, answered, err, out.String())
		}
	}
	s := sample(&config{})
	var out bytes.Buffer
	for _, args := range [][]string{{"-slot.name=s"}, {"-nonsense"}} {
		if answered, err := s.Answer(&out, "1.2.3", s.Parse(args, nil)); answered || err != nil || out.Len() > 0 {
			t.Errorf("%v: answered %v, %v, %q", args, answered, err, out.String())
		}
	}
}
