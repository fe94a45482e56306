// Package maven fetches jars from Maven Central for the servers that tests run.
package maven

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNotFound tells that the machine lacks Maven.
var ErrNotFound = errors.New("mvn not found, which fetches jars once; install Debian's package maven")

// CopyDependencies copies the jars that a pom names, and those they need, into dir. The machine's own Maven
// configuration says where they come from. ctx ends it halfway, so dir should be a folder that is thrown away then.
func CopyDependencies(ctx context.Context, pom []byte, dir string) error {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return ErrNotFound
	}
	work, err := os.MkdirTemp("", "outbox-mvn-") // mvn leaves files beside the pom
	if err != nil {
		return fmt.Errorf("make a folder for mvn: %w", err)
	}
	defer os.RemoveAll(work)
	if err := os.WriteFile(filepath.Join(work, "pom.xml"), pom, 0o644); err != nil {
		return fmt.Errorf("write a pom for mvn: %w", err)
	}
	cmd := exec.CommandContext(ctx, mvn, "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory="+dir)
	cmd.Dir = work
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("fetch jars with mvn from Maven Central: %w\n%s", err, out.Bytes())
	}
	return nil
}
