package options_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

// foreign is an Importer of files that begin with "foreign:" and hold one value
// for the option name.
type foreign struct{ files int }

func (*foreign) Claims(content []byte) bool { return bytes.HasPrefix(content, []byte("foreign:")) }

func (*foreign) Wants(env []string) bool { return len(env) > 0 && env[0] == "FOREIGN=1" }

func (f *foreign) Import(files []options.ConfigFile, _ []string, given func(string) bool) (out []options.Imported, errs []error) {
	f.files = len(files)
	for _, file := range files {
		value := strings.TrimSpace(strings.TrimPrefix(string(file.Content), "foreign:"))
		if value == "bad" && !given("name") {
			errs = append(errs, errors.New("bad has no meaning here"))
			continue
		}
		out = append(out, options.Imported{Name: "name", Text: value, Source: options.Source{Kind: options.File, Where: file.Name, Line: 1}})
	}
	if len(files) == 0 {
		out = append(out, options.Imported{Name: "nmae", Text: "x"})
	}
	return out, errs
}

func TestImporter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files []string // contents
		args  []string
		env   []string
		want  string
		wrong string
	}{
		{name: "a foreign file", files: []string{"foreign: x"}, want: "x"},
		{name: "two at once: the later wins", files: []string{"foreign: x", "foreign: y"}, want: "y"},
		{name: "our own file is stronger", files: []string{"name=own", "foreign: x"}, want: "own"},
		{name: "the command line is stronger", files: []string{"foreign: x"}, args: []string{"-name", "line"}, want: "line"},
		{name: "what cannot be taken over is told", files: []string{"foreign: bad"}, wrong: "bad has no meaning here"},
		{name: "unless the option is given", files: []string{"foreign: bad"}, args: []string{"-name", "line"}, want: "line"},
		{name: "an option that does not exist", env: []string{"FOREIGN=1"}, wrong: "nmae"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := options.New(options.Program{Name: "sample"})
			var name string
			s.Group("G").String(&name, "name", "default", "a `name`")
			s.SetImporter(&foreign{})
			args := tt.args
			for i, content := range tt.files {
				path := filepath.Join(t.TempDir(), string(rune('a'+i)))
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				args = append(args, "-config", path)
			}
			err := s.Parse(args, tt.env)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Errorf("got %v, want an error about %q", err, tt.wrong)
				}
				return
			}
			if err != nil || name != tt.want {
				t.Errorf("got %q, %v; want %q", name, err, tt.want)
			}
		})
	}
}
