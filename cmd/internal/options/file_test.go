package options_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

func TestLines(t *testing.T) {
	t.Parallel()
	content := "\ufeffslot.name = s # not a comment\n  # a comment\n\n-retries=2\r\n--log.level\t=\tdebug\ndatabase.url=a=b"
	var c config
	s := sample(&c)
	path := write(t, "x.conf", content)
	if err := s.Parse([]string{"-config", path}, nil); err != nil {
		t.Fatal(err)
	}
	got := []string{c.Slot, c.Level, c.URL, s.Source("database.url").String()}
	want := []string{"s # not a comment", "debug", "a=b", path + ":6"}
	if diff := cmp.Diff(want, got); diff != "" || c.Retries != 2 {
		t.Error(diff, c.Retries)
	}
}

func TestFileTooLarge(t *testing.T) {
	t.Parallel()
	path := write(t, "x.conf", strings.Repeat("#\n", 1<<20))
	checkOne(t, sample(&config{}).Parse([]string{"-config", path, "-slot.name=s"}, nil), "larger than")
}

// shouting is a format for tests: NAME!VALUE words, known by their first letter.
type shouting struct{}

func (shouting) Detect(content []byte) bool { return bytes.HasPrefix(content, []byte("!")) }

func (shouting) Entries(content []byte) ([]options.Entry, []error) {
	var out []options.Entry
	for word := range strings.FieldsSeq(string(content[1:])) {
		name, text, _ := strings.Cut(word, "!")
		out = append(out, options.Entry{Name: strings.ToLower(name), Text: text})
	}
	return out, []error{errors.New("too loud")}
}

func TestAddFormat(t *testing.T) {
	t.Parallel()
	var c config
	s := sample(&c)
	s.AddFormat(shouting{})
	path := write(t, "x.conf", "!SLOT.NAME!s RETRIES!7")
	err := s.Parse([]string{"-config", path}, nil)
	checkOne(t, err, path+": too loud")
	if c.Slot != "s" || c.Retries != 7 {
		t.Errorf("got %q, %d", c.Slot, c.Retries)
	}
	if got := s.Source("retries").String(); got != path {
		t.Errorf("source: got %q, want %q", got, path)
	}
	if err := s.Parse([]string{"-config", write(t, "y.conf", "slot.name=t\n")}, nil); err != nil || c.Slot != "t" {
		t.Errorf("lines are not read any more: %v, %q", err, c.Slot)
	}
}

// A file without an option was meant to have some: a mount that failed, or a wrong path.
func TestEmptyFile(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"empty": "", "blank": " \n\t\n", "comments": "# slot.name=x\n"} {
		var c config
		if err := sample(&c).Parse([]string{"-config", write(t, "x.conf", content)}, nil); err == nil || !strings.Contains(err.Error(), "the file is empty") {
			t.Errorf("%s: got %v, want an error about an empty file", name, err)
		}
	}
}
