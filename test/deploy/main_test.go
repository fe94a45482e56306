// Package deploy_test checks what operators are given beside the programs: metrics and their document, alerts, dashboard, units,
// manifests and the compose file. What can be run is run: the real relay, the very commands of the compose file,
// Prometheus' own tool and systemd's. What needs heavy libraries to be read is in the module lint below this folder.
package deploy_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// update makes the generated files instead of comparing them: make docs.
var update = flag.Bool("update", false, "write the generated files")

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(proctest.WithShared(kafkatest.WithShared(pgtest.WithShared(m))))
}

// root is the folder of the repository.
const root = "../.."

// read returns a file of the repository.
func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// same compares a generated file with what it should be, or writes it.
func same(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(filepath.Join(root, path), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := read(t, path); got != want {
		t.Errorf("%s is not what it is made of; make docs makes it again", path)
	}
}
