package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestVersions(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, got, want string }{
		{"Debian's PostgreSQL", postgresVersion("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"), "15.18"},
		{"a PostgreSQL that answers otherwise", postgresVersion("other 1"), "other 1"},
		{"Java", quoted(`openjdk version "17.0.15" 2025-04-15`), "17.0.15"},
		{"memory", memoryGB("24683652 kB"), "24"},
		{"no memory", memoryGB(""), "unknown"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestJarVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"kafka-server-common-9.9.jar", "kafka-server-4.4.0.jar"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := jarVersion(dir, "kafka-server-"); got != "4.4.0" {
		t.Errorf("got %s", got)
	}
	if got := jarVersion(dir, "other-"); got != "unknown" {
		t.Errorf("got %s for a jar that is not there", got)
	}
}

func TestLineValue(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "info")
	if err := os.WriteFile(file, []byte("MemTotal:   7 kB\nmodel name\t: A: B\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := lineValue(file, "model name"); got != "A: B" {
		t.Errorf("got %q", got)
	}
	if got := lineValue(file, "absent") + lineValue(file+".missing", "MemTotal"); got != "" {
		t.Errorf("got %q for what is not there", got)
	}
}
