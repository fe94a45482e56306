package kafkaserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/outbox-relay/outbox-relay/test/internal/cachedir"
)

//go:embed pom.xml
var pom []byte

// Errors that tell which tool the machine lacks.
var (
	ErrNoJava  = errors.New("java not found; install Debian's package default-jre-headless (Java 17 or later)")
	ErrNoMaven = errors.New("mvn not found, which fetches Apache Kafka once; install Debian's package maven")
)

// Fetch returns the folder with the broker's jars. The first call on a machine downloads them (92 files, 54 MB) from
// Maven Central into the cache; programs that run at the same time wait for one download.
func Fetch(ctx context.Context) (string, error) {
	sum := sha256.Sum256(pom) // a changed pom is another entry
	return cachedir.Entry(ctx, "kafka-"+hex.EncodeToString(sum[:4]), copyDependencies)
}

func copyDependencies(ctx context.Context, dir string) error {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return ErrNoMaven
	}
	work, err := os.MkdirTemp("", "outbox-mvn-") // mvn leaves files beside the pom
	if err != nil {
		return fmt.Errorf("fetch Apache Kafka: %w", err)
	}
	defer os.RemoveAll(work)
	if err := os.WriteFile(filepath.Join(work, "pom.xml"), pom, 0o644); err != nil {
		return fmt.Errorf("fetch Apache Kafka: %w", err)
	}
	cmd := exec.CommandContext(ctx, mvn, "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory="+dir)
	cmd.Dir = work
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("fetch Apache Kafka with mvn from Maven Central: %w\n%s", err, out.Bytes())
	}
	return nil
}
