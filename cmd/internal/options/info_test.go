package options_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

// shapes is a set with a required option, and with one that prints one of two things.
func shapes() *options.Set {
	s := options.New(options.Program{Name: "outbox-sample"})
	g := s.Group("Shapes")
	g.String(new(string), "needed", "", "must be given", options.Required())
	g.InfoOf("print", "print a shape and exit", "round", "square")
	return s
}

func TestInfoOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args string
		want string // "" for a mistake
	}{
		{"-print", "round"},
		{"--print", "round"},
		{"-print=square", "square"},
		{"-print square", "square"},
		{"-unknown -print square", "square"},
		{"-print -print=square", "square"},
		{"-print=square -print", "round"},
		{"-print square -needed x", "square"},
		{"-print=flat", ""},
		{"-needed x -print flat", ""},
		{"-needed x -print=", ""},
	}
	for _, test := range tests {
		err := shapes().Parse(strings.Fields(test.args), nil)
		var info *options.InfoError
		var mistakes *options.MistakesError
		switch {
		case test.want == "" && !errors.As(err, &mistakes):
			t.Errorf("%s: got %v, want a mistake", test.args, err)
		case test.want != "" && !errors.As(err, &info):
			t.Errorf("%s: got %v, want %s", test.args, err, test.want)
		case test.want != "" && (info.Name != "print" || info.Value != test.want):
			t.Errorf("%s: got %+v, want %s", test.args, *info, test.want)
		}
	}
}

func TestInfoOfIsForTheCommandLine(t *testing.T) {
	t.Parallel()
	err := shapes().Parse([]string{"-needed", "x"}, []string{"OUTBOX_SAMPLE_PRINT=square"})
	var mistakes *options.MistakesError
	if !errors.As(err, &mistakes) {
		t.Errorf("got %v, want a mistake", err)
	}
}

func TestInfoOfUsage(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := shapes().Usage(&out); err != nil {
		t.Fatal(err)
	}
	if want := "-print round|square (default round)\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in:\n%s", want, out.String())
	}
}
