package options_test

import (
	"errors"
	"flag"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

func TestPrecedence(t *testing.T) {
	t.Parallel()
	first := write(t, "first.conf", "slot.name = file1\nretries=4\n")
	second := write(t, "second.conf", "# a comment\r\n\r\nslot.name=file2\r\n")
	tests := []struct {
		name, want string
		source     string
		args, env  []string
	}{
		{name: "flag", want: "flag", source: "flag",
			args: []string{"-config", first, "-slot.name", "flag"}, env: []string{"OUTBOX_SAMPLE_SLOT_NAME=env"}},
		{name: "flag before -config", want: "flag", source: "flag", args: []string{"--slot.name=flag", "--config=" + first}},
		{name: "last flag wins", want: "b", source: "flag", args: []string{"-slot.name=a", "-slot.name", "b"}},
		{name: "environment", want: "env", source: "environment variable OUTBOX_SAMPLE_SLOT_NAME",
			args: []string{"-config", first}, env: []string{"OUTBOX_SAMPLE_SLOT_NAME=env"}},
		{name: "empty variable is none", want: "file1", source: first + ":1",
			args: []string{"-config", first}, env: []string{"OUTBOX_SAMPLE_SLOT_NAME="}},
		{name: "later file wins", want: "file2", source: second + ":3", args: []string{"-config", first, "-config", second}},
		{name: "files in the environment", want: "file1", source: first + ":1",
			env: []string{"OUTBOX_SAMPLE_CONFIG=" + second + "," + first}},
		{name: "-config beats the variable", want: "file1", source: first + ":1",
			args: []string{"-config", first}, env: []string{"OUTBOX_SAMPLE_CONFIG=" + second}},
		{name: "value that looks like a flag", want: "-x", source: "flag", args: []string{"-slot.name", "-x"}},
		{name: "value with =", want: "a=b", source: "flag", args: []string{"-slot.name=a=b"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var c config
			s := sample(&c)
			if err := s.Parse(test.args, test.env); err != nil {
				t.Fatal(err)
			}
			if c.Slot != test.want {
				t.Errorf("slot.name: got %q, want %q", c.Slot, test.want)
			}
			if got := s.Source("slot.name").String(); got != test.source {
				t.Errorf("source: got %q, want %q", got, test.source)
			}
			if got := s.Source("log.level"); got != (options.Source{}) || got.String() != "default" {
				t.Errorf("source of an option that was not given: %v", got)
			}
		})
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	var c config
	err := sample(&c).Parse([]string{
		"-slot.name=s", "-retries=9", "-offset=9000000000", "-buffer.memory=64k", "-slot.create", "-linger.ms", "250",
		"-heartbeat=1m30s", "-table.include.list", "a, b", "-table.include.list= c ,", "-topic.regex=x.y",
		"-log.level=error", "-bootstrap.servers=c:3,a:1", "-database.url=", "-internal.test=x",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Topic.String(); got != "x.y" {
		t.Errorf("topic.regex: got %q", got)
	}
	c.Topic = nil
	want := config{
		Slot: "s", Retries: 9, Offset: 9e9, Memory: 64 << 10, Create: true, Linger: 250 * time.Millisecond,
		Heartbeat: 90 * time.Second, Tables: []string{"c"}, Level: "error", Servers: []string{"c:3", "a:1"},
		Secret: "s3cret",
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want int64
		err  string // behind the quoted value
	}{
		{"0", 0, ""}, {"1000", 1000, ""}, {"-1", -1, ""}, {"1k", 1 << 10, ""}, {"1K", 1 << 10, ""},
		{"2M", 2 << 20, ""}, {"2MB", 2 << 20, ""}, {"2 MiB", 2 << 20, ""}, {"3g", 3 << 30, ""}, {"3GB", 3 << 30, ""},
		{"7 ", 0, "not a number of bytes"}, {"1B", 0, "not a number of bytes"}, {"1i", 0, "not a number of bytes"},
		{"", 0, "not a number of bytes"}, {"k", 0, "not a number of bytes"}, {"1.5M", 0, "not a number of bytes"},
		{"1T", 0, "not a number of bytes"}, {"9223372036854775807", 1<<63 - 1, ""},
		{"9223372036854775808", 0, "too large"}, {"8589934592G", 0, "too large"}, {"-8589934593G", 0, "too large"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			var c config
			err := sample(&c).Parse([]string{"-slot.name=s", "-buffer.memory=" + test.text}, nil)
			checkOne(t, err, test.err)
			if err == nil && c.Memory != test.want {
				t.Errorf("got %d, want %d", c.Memory, test.want)
			}
		})
	}
}

// TestLikePackageFlag compares the splitting of arguments with that of package flag.
func TestLikePackageFlag(t *testing.T) {
	t.Parallel()
	type values struct {
		S string
		B bool
		N int
	}
	for _, args := range [][]string{
		{}, {"-s", "x"}, {"--s", "x"}, {"-s=x"}, {"--s=x"}, {"-s="}, {"-s", ""}, {"-s", "-b"}, {"-b"}, {"-b=false"},
		{"-b=0", "-b"}, {"-b", "-n", "5"}, {"-n=-5"}, {"-n", "-5"}, {"-s", "a", "-s", "b"}, {"-s=-=-"},
		{"-b", "true"}, {"x"}, {"--"}, {"-"}, {"---s", "x"}, {"-=x"}, {"-s"}, {"-n", "x"}, {"-b=x"}, {"-q"}, {"-q=1"},
	} {
		var got, want values
		fs := flag.NewFlagSet("x", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		fs.StringVar(&want.S, "s", "", "")
		fs.BoolVar(&want.B, "b", false, "")
		fs.IntVar(&want.N, "n", 0, "")
		wantErr := fs.Parse(args) != nil || fs.NArg() > 0 || len(args) == 1 && args[0] == "--"

		s := options.New(options.Program{Name: "x"})
		g := s.Group("g")
		g.String(&got.S, "s", "", "")
		g.Bool(&got.B, "b", false, "")
		g.Int(&got.N, "n", 0, "")
		err := s.Parse(args, nil)
		if (err != nil) != wantErr {
			t.Errorf("%q: got error %v, package flag fails: %v", args, err, wantErr)
		}
		if err == nil && got != want {
			t.Errorf("%q: got %+v, want %+v", args, got, want)
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args []string
		want error
	}{
		{[]string{"-help"}, options.ErrHelp}, {[]string{"-h"}, options.ErrHelp}, {[]string{"--help"}, options.ErrHelp},
		{[]string{"-version"}, options.ErrVersion}, {[]string{"-version", "-help"}, options.ErrHelp},
		{[]string{"-no.such.option", "-help", "x"}, options.ErrHelp},
		{[]string{"-config=/nowhere", "-version"}, options.ErrVersion},
	}
	for _, test := range tests {
		if err := sample(&config{}).Parse(test.args, nil); !errors.Is(err, test.want) {
			t.Errorf("%q: got %v, want %v", test.args, err, test.want)
		}
	}
	if err := sample(&config{}).Parse([]string{"-help=false", "-slot.name=s", "-version=0"}, nil); err != nil {
		t.Errorf("turned off: %v", err)
	}
}
