package debezium

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/outbox-relay/outbox-relay/test/internal/cachedir"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
)

// Versions of what pom.xml names.
const (
	Version        = "3.6.1"
	ConnectVersion = "4.3.1"
)

//go:embed pom.xml
var pom []byte

// Fetch returns the folder with the jars. The first call on a machine downloads them (69 files, 38 MB) from Maven
// Central into the cache of the test servers.
func Fetch(ctx context.Context) (string, error) {
	sum := sha256.Sum256(pom) // a changed pom is another entry
	return cachedir.Entry(ctx, "debezium-"+hex.EncodeToString(sum[:4]), copyDependencies)
}

func copyDependencies(ctx context.Context, dir string) error {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return kafkaserver.ErrNoMaven
	}
	work, err := os.MkdirTemp("", "outbox-mvn-") // mvn leaves files beside the pom
	if err != nil {
		return fmt.Errorf("fetch Debezium: %w", err)
	}
	defer os.RemoveAll(work)
	if err := os.WriteFile(filepath.Join(work, "pom.xml"), pom, 0o644); err != nil {
		return fmt.Errorf("fetch Debezium: %w", err)
	}
	cmd := exec.CommandContext(ctx, mvn, "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory="+dir)
	cmd.Dir = work
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("fetch Debezium with mvn from Maven Central: %w\n%s", err, out.Bytes())
	}
	return nil
}
