package options_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

func TestReference(t *testing.T) {
	t.Parallel()
	s := options.New(options.Program{Name: "outbox-odd"})
	g := s.Group("First group")
	g.String(new(string), "needed.one", "", "a `host|port` of <name>, as __x.*", options.Required())
	g.String(new(string), "password", "s3cret", "hidden default", options.Secret())
	g.String(new(string), "level", "info", "how much", options.OneOf("info", "debug"))
	g.Bool(new(bool), "fast", false, "be fast")
	g.String(new(string), "internal.test", "", "not shown", options.Hidden())
	s.Group("All hidden").Bool(new(bool), "internal.other", false, "not shown", options.Hidden())
	var out bytes.Buffer
	if answered, err := s.Answer(&out, "", s.Parse([]string{"-print-options"}, nil)); !answered || err != nil {
		t.Fatalf("answered %v, %v", answered, err)
	}
	for _, want := range []string{
		"### First group\n\n| option, environment variable | value | default | meaning |\n|---|---|---|---|\n",
		"| `-needed.one`<br>`OUTBOX_ODD_NEEDED_ONE` | host\\|port | required | a host\\|port of &lt;name>, as \\_\\_x.\\* |\n",
		"| `-password`<br>`OUTBOX_ODD_PASSWORD` | string | `***` | hidden default |\n",
		"| `-level`<br>`OUTBOX_ODD_LEVEL` | `info`, `debug` | `info` | how much |\n",
		"| `-fast`<br>`OUTBOX_ODD_FAST` | `true`, `false` | `false` | be fast |\n\n### This program\n",
		"| `-help` |  |  | print this text and exit |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	for _, never := range []string{"internal", "s3cret", "All hidden", "print-options"} {
		if strings.Contains(out.String(), never) {
			t.Errorf("%q in:\n%s", never, out.String())
		}
	}
}
