package deploy_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// TestOptionFiles has each program read the files of options that are deployed with it. The relay prints what they come to. The pruner
// has nothing like that; it gets as far as the connection, which exit code 2 would say it does not.
func TestOptionFiles(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"systemd", "kubernetes"} {
		file := filepath.Join(root, "deploy", dir, "outbox-relay.conf")
		out := succeed(t, proctest.Build(t, procs.RelayPackage), "-config", file, "-config.print")
		if !strings.Contains(out, "-slot.name=outbox_relay") {
			t.Errorf("%s comes to\n%s", file, out)
		}
		file = filepath.Join(root, "deploy", dir, "outbox-pruner.conf")
		pruner := proctest.StartProgram(t, procs.Config{Path: proctest.Build(t, prunerPackage), Args: []string{
			"-config", file, "-once", "-database.url=postgres://nobody@" + freeAddress(t) + "/none?sslmode=disable", "-database.password.file=",
		}})
		if code, err := pruner.Wait(wait.Context(t, time.Minute)); code != 1 || err != nil {
			t.Errorf("%s: exit %d (%v):\n%s", file, code, err, pruner.Tail(5))
		}
	}
}
