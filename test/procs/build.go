package procs

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// RelayPackage is the import path of the relay's program.
const RelayPackage = "github.com/outbox-relay/outbox-relay/cmd/outbox-relay"

// Build compiles a main package of this module into dir and returns the path of the program. It must be called from
// inside the module, as tests are. The binary is an ordinary one, as a user would build it.
func Build(ctx context.Context, pkg, dir string) (string, error) {
	path := filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return path, nil
}
