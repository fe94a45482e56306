package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
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

func TestConnectionString(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                       string
		d                          database
		host, user, dbname, secret string
		port                       uint16
	}{
		{"a URL", database{url: "postgres://u:p@h:1/d?sslmode=disable"}, "h", "u", "d", "p", 1},
		{"keywords", database{url: "host=h port=1 user=u dbname=d password='p q' sslmode=disable"}, "h", "u", "d", "p q", 1},
		{"options alone", database{hostname: "h", port: 1, user: "u", dbname: "d", password: `p'\ "`, sslmode: "disable"}, "h", "u", "d", `p'\ "`, 1},
		{"options beat the URL", database{url: "postgres://x:y@z:2/w?sslmode=disable", hostname: "h", port: 1, user: "u", dbname: "d", password: "p &=+?"}, "h", "u", "d", "p &=+?", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := tt.d.connect()
			if err != nil {
				t.Fatal(err)
			}
			if c.Host != tt.host || c.User != tt.user || c.Database != tt.dbname || c.Password != tt.secret || c.Port != tt.port {
				t.Errorf("got %s@%s:%d/%s, or another password", c.User, c.Host, c.Port, c.Database)
			}
		})
	}
}

// The password file is read at each connect, so that a rotated password is found.
func TestPasswordFileIsReadAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "password")
	d := database{url: "postgres://u@h/d", passwordFile: file}
	for _, password := range []string{"first", "second"} {
		if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := d.connect(); err != nil || c.Password != password {
			t.Errorf("connect did not take %q from the file: %v", password, err)
		}
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
