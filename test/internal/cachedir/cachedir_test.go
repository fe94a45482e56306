package cachedir_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/internal/cachedir"
)

func TestEntryIsFilledOnce(t *testing.T) {
	root := t.TempDir()
	t.Setenv(cachedir.EnvVar, root)
	var fills atomic.Int32
	fill := func(_ context.Context, dir string) error {
		fills.Add(1)
		return os.WriteFile(filepath.Join(dir, "file"), []byte("content"), 0o644)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			dir, err := cachedir.Entry(context.Background(), "thing-1", fill)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := os.Stat(filepath.Join(dir, "file")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := fills.Load(); n != 1 {
		t.Errorf("filled %d times, want once", n)
	}
}

func TestFailedFillLeavesNoEntry(t *testing.T) {
	root := t.TempDir()
	t.Setenv(cachedir.EnvVar, root)
	broken := errors.New("broken")
	_, err := cachedir.Entry(t.Context(), "thing-1", func(_ context.Context, dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "half"), nil, 0o644); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Fatalf("got error %v, want that of the fill", err)
	}
	dir, err := cachedir.Entry(t.Context(), "thing-1", func(context.Context, string) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%d files left of the failed fill, error %v", len(files), err)
	}
}

func TestRestOfAKilledFillIsRemoved(t *testing.T) {
	root := t.TempDir()
	t.Setenv(cachedir.EnvVar, root)
	if err := os.MkdirAll(filepath.Join(root, "thing-1.part", "half"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := cachedir.Entry(t.Context(), "thing-1", func(_ context.Context, dir string) error {
		files, err := os.ReadDir(dir)
		if err == nil && len(files) > 0 {
			err = errors.New("the folder to fill is not empty")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
