package lint_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// root is the folder of the repository.
const root = "../../.."

// read returns a file of the repository.
func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// bounded is a context that ends with the test, or after d.
func bounded(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
