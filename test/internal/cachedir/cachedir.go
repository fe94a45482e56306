// Package cachedir keeps what is fetched once and used by every later run: each entry is a folder that is either
// complete or absent, also when several test programs ask for it at once or one is killed halfway.
package cachedir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// EnvVar overrides where the cache is.
const EnvVar = "OUTBOX_TEST_CACHE"

// Root is the folder of the cache: $OUTBOX_TEST_CACHE, or outbox-relay-test below the user's cache folder. For root it
// is below /var/cache, because PostgreSQL runs as another user then and must be able to read its binaries.
func Root() (string, error) {
	if dir := os.Getenv(EnvVar); dir != "" {
		return filepath.Abs(dir)
	}
	if os.Geteuid() == 0 {
		return "/var/cache/outbox-relay-test", nil
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder (set %s to choose one): %w", EnvVar, err)
	}
	return filepath.Join(base, "outbox-relay-test"), nil
}

// Entry returns the folder called name in the cache. If it is absent, fill is called with an empty temporary folder
// that becomes the entry when fill succeeds. name must change with the version of the content. Only one program at
// a time fills an entry; the others wait, without regard to ctx while fill runs elsewhere.
func Entry(ctx context.Context, name string, fill func(ctx context.Context, dir string) error) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	entry := filepath.Join(root, name)
	if present(entry) {
		return entry, nil
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", fmt.Errorf("make the cache folder (set %s to choose another): %w", EnvVar, err)
	}
	unlock, err := lock(entry + ".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if present(entry) { // another program has filled it while we waited
		return entry, nil
	}
	return entry, fillEntry(ctx, entry, fill)
}

func fillEntry(ctx context.Context, entry string, fill func(ctx context.Context, dir string) error) (err error) {
	tmp := entry + ".part" // safe without a random name: the lock is held
	if err := os.RemoveAll(tmp); err != nil {
		return fmt.Errorf("remove the rest of an interrupted fetch: %w", err)
	}
	if err := os.Mkdir(tmp, 0o755); err != nil {
		return fmt.Errorf("make a cache entry: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(tmp))
		}
	}()
	if err := fill(ctx, tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, entry); err != nil {
		return fmt.Errorf("complete a cache entry: %w", err)
	}
	return nil
}

func present(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// lock takes an exclusive lock that the kernel releases when the program ends, however it ends.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open a cache lock: %w", err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(&fs.PathError{Op: "lock", Path: path, Err: err}, f.Close())
	}
	return func() { f.Close() }, nil // closing releases the lock; the file stays, others may wait on it
}
