package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
)

// settingsOf is every option's value after parsing, but for those that only ask
// for the output.
func settingsOf(t *testing.T, args, env []string) map[string]string {
	t.Helper()
	set, _ := declare()
	if err := set.Parse(args, env); err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for _, s := range set.Effective() {
		if !forPrinting[s.Name] {
			values[s.Name] = s.Value
		}
	}
	return values
}

// runInShell gives a command line to a shell and returns the arguments and the
// program's environment that come of it.
func runInShell(t *testing.T, script string) (args, env []string) {
	t.Helper()
	dir := t.TempDir()
	const relay = "#!/bin/sh\nfor a; do printf 'A%s\\0' \"$a\"; done\nenv -0 | sed -z 's/^/E/'\n"
	if err := os.WriteFile(filepath.Join(dir, program), []byte(relay), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", script)
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v in\n%s", err, script)
	}
	for word := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if word[0] == 'A' {
			args = append(args, word[1:])
		} else {
			env = append(env, word[1:])
		}
	}
	return args, env
}

// What is printed is a command line that comes to the same.
func TestConfigPrintRoundTrip(t *testing.T) {
	t.Parallel()
	own := writeConfig(t, "linger.ms = 7\nheartbeat.action.query = it's \"$HOME\" `x` \\\\\n")
	tests := []struct {
		name      string
		args, env []string
	}{
		{"flags", []string{"-bootstrap.servers=kafka:9092", "-table.fields.additional.placement", "type:header: -t ,\nx:header", "-topic.prefix=", "-slot.create"}, nil},
		{"environment", []string{"-bootstrap.servers=kafka:9092"}, []string{"OUTBOX_RELAY_SLOT_NAME=s", "OUTBOX_RELAY_ROUTE_TOPIC_REPLACEMENT=ä ${routedByValue} $1"}},
		{"a file", []string{"-bootstrap.servers=kafka:9092", "-config", own}, nil},
		{"secrets", []string{"-bootstrap.servers=kafka:9092", "-database.url=postgres://u:geheim@h/db", "-security.protocol=SASL_SSL", "-sasl.mechanism=PLAIN", "-sasl.username=u", "-sasl.password=geheim"}, []string{"OUTBOX_RELAY_DATABASE_PASSWORD=geheim"}},
		{"Debezium", []string{"-bootstrap.servers=kafka:9092", "-config", writeConfig(t, connectorJSON), "-config", own, "-config.strict"}, nil},
		{"Debezium, overruled", []string{"-bootstrap.servers=kafka:9092", "-config", writeConfig(t, connectorJSON), "-slot.name", "mine"}, []string{"OUTBOX_RELAY_TABLE_INCLUDE_LIST=a.b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := execute(t, tt.env, append(tt.args, "-config.print")...)
			if code != daemon.OK || stderr != "" || strings.Contains(stdout, "geheim") {
				t.Fatalf("exit %d: %s, or a secret in\n%s", code, stderr, stdout)
			}
			args, env := runInShell(t, stdout)
			if diff := cmp.Diff(settingsOf(t, tt.args, tt.env), settingsOf(t, args, env)); diff != "" {
				t.Errorf("what %s says (-), what it printed says (+):\n%s\n%s", tt.name, diff, stdout)
			}
		})
	}
}

// Every public configuration that can be taken over can be printed, and the print
// comes to the same.
func TestConfigPrintOfPublicConfigurations(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("internal/dbzconfig/testdata/configs/*")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, paths)
	}
	printed := 0
	for _, path := range paths {
		given := []string{"-config", path, "-key.converter=string", "-value.converter=string", "-header.converter=simple", "-database.url=host=h user=u password=geheim dbname=d", "-topic.prefix=p"}
		code, stdout, _ := execute(t, nil, append(given, "-config.print")...)
		if code != daemon.OK {
			continue // refused, as testdata/expected says
		}
		printed++
		args, env := runInShell(t, stdout)
		brokers := "-bootstrap.servers=kafka:9092"
		if diff := cmp.Diff(settingsOf(t, append(given, brokers), nil), settingsOf(t, append(args, brokers), env)); diff != "" {
			t.Errorf("%s: the configuration (-), its print (+):\n%s\n%s", path, diff, stdout)
		}
	}
	if printed < 20 {
		t.Errorf("only %d configurations were printed; the test has lost its point", printed)
	}
}

func TestConfigPrintShape(t *testing.T) {
	t.Parallel()
	path := writeConfig(t, strings.Replace(connectorJSON, `"slot.name"`, `"slot.nmae": "x", "slot.name"`, 1))
	code, stdout, stderr := execute(t, []string{"OUTBOX_RELAY_LINGER_MS=5"}, "-config", path, "-config.print", "-log.level=debug")
	if code != daemon.OK || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, want := range []string{
		"# lacking: -bootstrap.servers is required",
		"# ignored, as by Debezium: " + path, "did you mean slot.name?",
		"# notice: topics that do not exist",
		path + ":4 slot.name\n", "environment variable OUTBOX_RELAY_LINGER_MS\n", " flag\n", " Debezium's default\n",
		"hidden here", "OUTBOX_RELAY_DATABASE_PASSWORD='***' \\\noutbox-relay \\\n",
		" \\\n  -slot.name=theirs \\\n", " \\\n  -linger.ms=5", " \\\n  -log.level=debug",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	for _, not := range []string{"-config", "-bootstrap.servers=", "geheim"} {
		if strings.Contains(stdout, "\n  "+not) {
			t.Errorf("%q is in\n%s", not, stdout)
		}
	}
	if code, _, _ := execute(t, nil, "-config", path, "-config.print", "-linger.ms=x"); code != daemon.Config {
		t.Errorf("with a mistake beside what is lacking: exit %d, want %d", code, daemon.Config)
	}
}
