package daemon_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
)

func TestReadSecretFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, content, want, err string
	}{
		{"plain", "hunter2", "hunter2", ""},
		{"newline", "hunter2\n", "hunter2", ""},
		{"only one newline goes", "hunter2\n\n", "hunter2\n", ""},
		{"windows", "hunter2\r\n", "hunter2", ""},
		{"blanks stay", " hunter 2 \n", " hunter 2 ", ""},
		{"empty", "", "", "is empty"},
		{"empty line", "\n", "", "is empty"},
		{"too large", strings.Repeat("hunter2", 10000), "", "is larger than 65536 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := daemon.ReadSecretFile(path)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("error: got %v, want %q", err, test.err)
			}
			if err != nil && (strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), path)) {
				t.Errorf("error shows the secret or not the path: %v", err)
			}
		})
	}
}

func TestReadSecretFileMissing(t *testing.T) {
	t.Parallel()
	if _, err := daemon.ReadSecretFile(filepath.Join(t.TempDir(), "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := daemon.ReadSecretFile(t.TempDir()); err == nil {
		t.Error("a folder was read")
	}
}
