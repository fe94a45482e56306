package deploy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/cachedir"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

// prometheusTool returns the path of promtool or prometheus: that of the machine, or else the one in Debian's package, which
// is unpacked into the test cache without being installed, because installing starts a server. Without either the
// test is skipped.
func prometheusTool(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	dir, err := cachedir.Entry(ctx, "debian-prometheus", unpackPrometheus)
	if err != nil {
		t.Skipf("%s is not installed (Debian: prometheus) and cannot be fetched: %v", name, err)
	}
	return filepath.Join(dir, "usr", "bin", name)
}

// unpackPrometheus fills dir with the files of Debian's package.
func unpackPrometheus(ctx context.Context, dir string) error {
	for _, tool := range []string{"apt-get", "dpkg-deb"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("fetch Debian's package prometheus: %w", err)
		}
	}
	download := exec.CommandContext(ctx, "apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", "prometheus")
	download.Dir = dir
	if out, err := download.CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get download prometheus: %w: %s", err, out)
	}
	packages, err := filepath.Glob(filepath.Join(dir, "prometheus_*.deb"))
	if err != nil || len(packages) == 0 {
		return errors.Join(err, errors.New("apt-get download prometheus left no package"))
	}
	if out, err := exec.CommandContext(ctx, "dpkg-deb", "-x", packages[0], dir).CombinedOutput(); err != nil {
		return fmt.Errorf("unpack %s: %w: %s", packages[0], err, out)
	}
	return nil
}

// succeed runs a command and fails the test with its output if it does not end with 0.
func succeed(t *testing.T, path string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(wait.Context(t, 2*time.Minute), path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", filepath.Base(path), args, err, out)
	}
	return string(out)
}

// lint gives a scrape to promtool check metrics. It counts remarks about our own series only.
func lint(t *testing.T, promtool string, scrape []byte) {
	t.Helper()
	cmd := exec.CommandContext(wait.Context(t, time.Minute), promtool, "check", "metrics")
	cmd.Stdin = bytes.NewReader(scrape)
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "outbox_") {
			t.Errorf("promtool check metrics: %s", line)
		}
	}
	if err != nil && len(out) == 0 {
		t.Error(err)
	}
}
