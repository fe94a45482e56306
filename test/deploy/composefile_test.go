package deploy_test

import (
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// composeFile is what this test reads of docker-compose.yml; that the file is valid as a whole is checked by the module lint with
// Compose's own library.
type composeFile struct {
	Services map[string]service
	Secrets  map[string]struct{ File string }
}

type service struct {
	Image       string
	Command     []string
	Environment map[string]string
	Volumes     []string
	Secrets     []string
	Healthcheck struct{ Test []string }
}

func readCompose(t *testing.T) composeFile {
	t.Helper()
	var c composeFile
	if err := yaml.Unmarshal([]byte(read(t, "docker-compose.yml")), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// outside turns names that exist inside the containers into those of this machine.
type outside struct{ names *strings.Replacer }

// outsideOf knows the secrets and mounted files of a service beside the given pairs of names.
func outsideOf(t *testing.T, c composeFile, name string, pairs ...string) outside {
	t.Helper()
	abs := func(path string) string {
		p, err := filepath.Abs(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, s := range c.Services[name].Secrets {
		pairs = append(pairs, "/run/secrets/"+s, abs(c.Secrets[s].File))
	}
	for _, v := range c.Services[name].Volumes {
		if parts := strings.Split(v, ":"); strings.HasPrefix(parts[0], "./") {
			pairs = append(pairs, parts[1], abs(parts[0]))
		}
	}
	return outside{strings.NewReplacer(pairs...)}
}

// command is a service's command line as it runs here.
func (o outside) command(t *testing.T, s service) []string {
	t.Helper()
	if len(s.Command) == 0 {
		t.Fatal("the service has no command")
	}
	line := make([]string, len(s.Command))
	for i, arg := range s.Command {
		line[i] = o.names.Replace(arg)
	}
	return line
}

// environment is a service's as os/exec takes it.
func (o outside) environment(s service) []string {
	var env []string
	for name, value := range s.Environment {
		env = append(env, name+"="+o.names.Replace(value))
	}
	return env
}

// source is the file of this repository that a service sees at a path.
func (s service) source(t *testing.T, target string) string {
	t.Helper()
	for _, v := range s.Volumes {
		if parts := strings.Split(v, ":"); len(parts) > 1 && parts[1] == target {
			return strings.TrimPrefix(parts[0], "./")
		}
	}
	t.Fatalf("nothing is mounted at %s", target)
	return ""
}
