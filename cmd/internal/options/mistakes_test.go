package options_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

// checkOne fails unless err is nil, or a single mistake that contains want.
func checkOne(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("unexpected error: %v", err)
		}
		return
	}
	var m *options.MistakesError
	if !errors.As(err, &m) || len(m.Mistakes) != 1 || !strings.Contains(m.Mistakes[0].Error(), want) {
		t.Errorf("got %v, want one mistake with %q", err, want)
	}
}

func TestOneMistake(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		arg  string
		want string
	}{
		{"swapped letters", "-slot.nmae=s", "unknown option -slot.nmae; did you mean -slot.name?"},
		{"underscore", "-slot_name", "unknown option -slot_name; did you mean -slot.name?"},
		{"capitals", "-Log.Level=info", "did you mean -log.level?"},
		{"prefix", "-table=x", "did you mean -table.include.list?"},
		{"suffix", "-url=x", "did you mean -database.url?"},
		{"nothing near", "-zookeeper.connect=x", "unknown option -zookeeper.connect"},
		{"hidden is not suggested", "-internal.tes=x", "unknown option -internal.tes"},
		{"positional", "hunter2", "argument 2 is not an option"},
		{"double dash", "--", "argument 2 is not an option"},
		{"no value", "-log.level", "-log.level: a value is missing"},
		{"int", "-retries=many", `-retries: "many" is not a whole number`},
		{"int too large", "-retries=99999999999999999999", "too large"},
		{"too small", "-retries=0", `-retries: "0" is less than 1`},
		{"too great", "-retries=10", `-retries: "10" is more than 9`},
		{"bool", "-slot.create=maybe", `-slot.create: "maybe" is neither true nor false`},
		{"bad help", "-help=maybe", `-help: "maybe" is neither true nor false`},
		{"milliseconds with unit", "-linger.ms=5s", `-linger.ms: "5s" is not a whole number of milliseconds`},
		{"milliseconds too many", "-linger.ms=9223372036854775807", "too large"},
		{"below zero", "-linger.ms=-1", `-linger.ms: "-1" is less than 0s`},
		{"duration without unit", "-heartbeat=5", `"5" has no unit; write 5s for seconds or 5ms for milliseconds`},
		{"duration", "-heartbeat=soon", `"soon" is not a duration like`},
		{"enum", "-log.level=loud", `-log.level: "loud" is not one of debug, info, error`},
		{"enum in a list", "-bootstrap.servers=a:1,x:9", `"a:1,x:9" is not one of a:1, b:2, c:3`},
		{"own type", "-topic.regex=(", `-topic.regex: "(" is not a regular expression`},
		{"rule", "-linger.ms=6000000", "-heartbeat 1h30m0s is shorter than -linger.ms 1h40m0s"},
		{"no such file", "-config=/nowhere/x.conf", "-config: open /nowhere/x.conf: no such file"},
		{"a folder", "-config=/", "-config: read /"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkOne(t, sample(&config{}).Parse([]string{"-slot.name=s", test.arg}, nil), test.want)
		})
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	path := write(t, "a.conf", "retries=x\n\nlog.levle=info\njust text\nhelp=true\nconfig=b\noffset=1\noffset=2\n =3\n")
	args := []string{"-config", path, "-heartbeat=x", "-no.such", "value", "-slot.create", "true", "-linger.ms=7000000000"}
	env := []string{"OUTBOX_SAMPLE_OFFSET=x", "OUTBOX_SAMPLE_SLOTNAME=x", "PATH=/bin", "OUTBOX_SAMPLER=x"}
	err := sample(&config{}).Parse(args, env)
	want := strings.ReplaceAll(`13 mistakes in the configuration:
  - unknown option -no.such
  - unexpected argument "true"; write -slot.create=true
  - -heartbeat: "x" is not a duration like 500ms, 30s, 5m or 72h
  - unknown environment variable OUTBOX_SAMPLE_SLOTNAME; did you mean OUTBOX_SAMPLE_SLOT_NAME?
  - environment variable OUTBOX_SAMPLE_OFFSET: "x" is not a whole number
  - FILE:4: not of the form name=value
  - FILE:9: not of the form name=value
  - FILE:3: unknown option log.levle; did you mean log.level?
  - FILE:5: help can be given on the command line only
  - FILE:6: config can be given on the command line only
  - FILE:8: offset is set twice, first at FILE:7
  - FILE:1: retries: "x" is not a whole number
  - -slot.name is required (or OUTBOX_SAMPLE_SLOT_NAME, or slot.name= in a -config file)
run outbox-sample -help`, "FILE", path)
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
	var coded interface{ ExitCode() int }
	if !errors.As(err, &coded) || coded.ExitCode() != 2 {
		t.Errorf("exit code of %T is not 2", err)
	}
}

func TestMistakeKeepsTheCause(t *testing.T) {
	t.Parallel()
	err := sample(&config{}).Parse([]string{"-config=/nowhere/x.conf"}, nil)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v does not wrap os.ErrNotExist", err)
	}
	checkOne(t, err, "-config") // the slot that is required may be in that file
}

func TestEmptyRequired(t *testing.T) {
	t.Parallel()
	checkOne(t, sample(&config{}).Parse([]string{"-slot.name= "}, nil), "-slot.name is required")
}

func TestNoSecretInMistakes(t *testing.T) {
	t.Parallel()
	s := options.New(options.Program{Name: "x"})
	g := s.Group("g")
	quote := options.Check(func(v string) error { return fmt.Errorf("bad: %s", v) })
	g.String(new(string), "password", "", "", options.Secret(), quote)
	g.String(new(string), "url", "", "", options.Shown(hidePassword), quote)
	path := write(t, "x.conf", "hunter2\npassword: hunter2\n")
	err := s.Parse([]string{"-password", "hunter2", "-url=postgres://u:hunter2@h/d", "postgres://u:hunter2@h/d",
		"-pasword", "hunter2", "-config", path}, []string{"X_PASSWORD=hunter2", "X_PASSWORT=hunter2"})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
	for _, want := range []string{"-password: the value *** is not valid", "-url: the value postgres://u:***@h/d is not valid"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

func TestDeclarationMistakesPanic(t *testing.T) {
	t.Parallel()
	for name, declare := range map[string]func(*options.Set, *options.Group){
		"twice":         func(_ *options.Set, g *options.Group) { g.Int(new(int), "config", 0, "") },
		"check of type": func(_ *options.Set, g *options.Group) { g.Int64(new(int64), "n", 0, "", options.AtLeast(1)) },
		"bad default": func(_ *options.Set, g *options.Group) {
			options.Parsed(g, new(any), "n", "", "", func(string) (any, error) { return nil, errors.New("no") })
		},
		"source": func(s *options.Set, _ *options.Group) { s.Source("nothing") },
		"rule": func(s *options.Set, _ *options.Group) {
			s.Rule(func() error { return nil }, "nothing")
			_ = s.Parse(nil, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			s := options.New(options.Program{Name: "x"})
			declare(s, s.Group("g"))
		})
	}
}

func TestRulesWithSeveralMistakes(t *testing.T) {
	t.Parallel()
	first, second := errors.New("first"), errors.New("second")
	s := options.New(options.Program{Name: "x"})
	s.Rule(func() error { return errors.Join(first, second) })
	s.Rule(func() error { return fmt.Errorf("third: %w and %w", first, second) })
	err := s.Parse(nil, nil)
	if err == nil {
		t.Fatal("no error")
	}
	want := "3 mistakes in the configuration:\n  - first\n  - second\n  - third: first and second\nrun x -help"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}
