package pgserver_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/pgserver"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

func TestFind(t *testing.T) {
	t.Setenv(pgserver.EnvBinDir, "")
	t.Setenv(pgserver.EnvVersion, "")
	ctx := wait.Context(t, time.Minute)
	found, err := pgserver.Find(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(found.Dir, "initdb")); err != nil || found.Major < 14 {
		t.Errorf("found version %d in %s: %v", found.Major, found.Dir, err)
	}

	t.Run("folder by environment", func(t *testing.T) {
		t.Setenv(pgserver.EnvBinDir, found.Dir)
		t.Setenv(pgserver.EnvVersion, "9") // has no say then
		if got, err := pgserver.Find(ctx, 0); err != nil || got != found {
			t.Errorf("got %v, error %v, want %v", got, err, found)
		}
	})
	t.Run("wrong folder by environment", func(t *testing.T) {
		t.Setenv(pgserver.EnvBinDir, t.TempDir())
		if got, err := pgserver.Find(ctx, 0); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v, error %v, want %v", got, err, os.ErrNotExist)
		}
	})
	t.Run("version by environment", func(t *testing.T) {
		t.Setenv(pgserver.EnvVersion, strconv.Itoa(found.Major))
		if got, err := pgserver.Find(ctx, 0); err != nil || got.Major != found.Major {
			t.Errorf("got %v, error %v, want version %d", got, err, found.Major)
		}
	})
	t.Run("version that nobody has", func(t *testing.T) {
		_, err := pgserver.Find(ctx, 9)
		if !errors.Is(err, pgserver.ErrNotFound) || !strings.Contains(err.Error(), "Debian's package postgresql") {
			t.Errorf("error %v, want one that names the package to install", err)
		}
	})
	t.Run("version that is no number", func(t *testing.T) {
		t.Setenv(pgserver.EnvVersion, "latest")
		if _, err := pgserver.Find(ctx, 0); err == nil || !strings.Contains(err.Error(), pgserver.EnvVersion) {
			t.Errorf("error %v, want one that names %s", err, pgserver.EnvVersion)
		}
	})
}

// TestEmbedded runs the published binaries of a version that Debian 12 and 13 do not install, fetched once.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	server := start(t, pgserver.Config{Major: 18})
	if got := query(t, server.DSN("postgres"), "SHOW server_version"); !strings.HasPrefix(got, "18.") {
		t.Errorf("version %s, want 18", got)
	}
	if got := query(t, server.DSN("postgres"), "SELECT slot_name FROM pg_create_logical_replication_slot('s', 'pgoutput')"); got != "s" {
		t.Errorf("slot %q", got)
	}
}
