package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Environment variables that choose the binaries.
const (
	EnvBinDir  = "OUTBOX_TEST_PG_BINDIR"  // a folder with initdb and postgres; used whatever its version is
	EnvVersion = "OUTBOX_TEST_PG_VERSION" // a major version, 14 to 18
)

// Binaries are the programs of one PostgreSQL installation.
type Binaries struct {
	Dir   string // holds initdb and postgres
	Major int
}

// ErrNotFound is returned by Find when no server of the wanted version is installed and none could be fetched.
var ErrNotFound = errors.New("no PostgreSQL server found; install Debian's package postgresql, or allow access to Maven Central")

// Find looks for a server of the given major version; 0 means $OUTBOX_TEST_PG_VERSION, or any. The order is:
// $OUTBOX_TEST_PG_BINDIR, the newest fitting one that is installed, the binaries published for embedded use, which are
// fetched into the cache (15 MB each).
func Find(ctx context.Context, major int) (Binaries, error) {
	if dir := os.Getenv(EnvBinDir); dir != "" {
		return probe(ctx, dir)
	}
	if v := os.Getenv(EnvVersion); major == 0 && v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			return Binaries{}, fmt.Errorf("%s=%s: not a number", EnvVersion, v)
		}
		major = n
	}
	for _, b := range installed(ctx) {
		if major == 0 || b.Major == major {
			return b, nil
		}
	}
	if major == 0 {
		major = newestEmbedded
	}
	b, err := embedded(ctx, major)
	if err != nil {
		return Binaries{}, fmt.Errorf("PostgreSQL %d: %w: %w", major, ErrNotFound, err)
	}
	return b, nil
}

// installed lists what the machine has, newest first: Debian's folders (which are not on the PATH), then the PATH.
func installed(ctx context.Context) []Binaries {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is constant and well-formed
	if path, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
	}
	var found []Binaries
	for _, dir := range dirs {
		if b, err := probe(ctx, dir); err == nil {
			found = append(found, b)
		}
	}
	slices.SortStableFunc(found, func(a, b Binaries) int { return b.Major - a.Major })
	return found
}

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// probe asks the server program in dir for its version.
func probe(ctx context.Context, dir string) (Binaries, error) {
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return Binaries{}, fmt.Errorf("look for PostgreSQL's programs: %w", err)
	}
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return Binaries{}, fmt.Errorf("ask %s for its version: %w", filepath.Join(dir, "postgres"), err)
	}
	match := versionPattern.FindSubmatch(out)
	if match == nil {
		return Binaries{}, fmt.Errorf("no version in %q, the answer of postgres --version", strings.TrimSpace(string(out)))
	}
	major, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return Binaries{}, fmt.Errorf("version of PostgreSQL in %s: %w", dir, err)
	}
	return Binaries{Dir: dir, Major: major}, nil
}
