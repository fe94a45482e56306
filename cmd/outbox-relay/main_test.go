package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/schema"
)

// execute runs the whole program in this process.
func execute(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var out, errOut bytes.Buffer
	code = daemon.Execute(ctx, program, run, daemon.Process{Args: args, Env: env, Stdout: &out, Stderr: &errOut}, nil)
	return code, out.String(), errOut.String()
}

func TestInformation(t *testing.T) {
	t.Parallel()
	tests := []struct{ arg, want string }{
		{"-help", "-slot.name"},
		{"-version", program + " "},
		{"-print-ddl", schema.DDL},
		{"-print-ddl=plain", schema.DDL},
		{"-print-ddl=partitioned", schema.DDLPartitioned},
		{"-print-ddl=sequence", schema.DDLSequence},
		{"-print-ddl=inbox", schema.DDLInbox},
	}
	for _, tt := range tests {
		code, stdout, stderr := execute(t, nil, tt.arg)
		if code != 0 || !strings.Contains(stdout, tt.want) || stderr != "" {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", tt.arg, code, stdout, stderr)
		}
	}
}

func TestMistakesAreToldTogether(t *testing.T) {
	t.Parallel()
	code, _, stderr := execute(t, []string{"OUTBOX_RELAY_LINGER_MS=soon"},
		"-slot.nmae", "x", "-database.port", "70000", "-route.topic.replacement", "${nogroup}", "-slot.name", "UPPER",
		"-bootstrap.servers", "kafka", "-sasl.password", "geheim", "-sasl.password.file", "/f", "stray")
	for _, want := range []string{"did you mean -slot.name?", "database.port", "route.topic.replacement", `"UPPER"`, "sasl.password.file", "OUTBOX_RELAY_LINGER_MS", "argument 15"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the report does not mention %s:\n%s", want, stderr)
		}
	}
	if code != daemon.Config || strings.Contains(stderr, "geheim") {
		t.Errorf("exit %d, or a password in:\n%s", code, stderr)
	}
}

func TestBadConnectionStringHidesThePassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://u:geheim@h:port/d", "host=h password=geheim sslmode=nonsense", "postgres://u:geheim%zz@h/d", "host=h password=x geheim"} {
		code, _, stderr := execute(t, nil, "-database.url", url, "-bootstrap.servers", "kafka:9092")
		if code != daemon.Config || strings.Contains(stderr, "geheim") {
			t.Errorf("%s: exit %d and\n%s", url, code, stderr)
		}
	}
}
