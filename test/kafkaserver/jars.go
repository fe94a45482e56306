package kafkaserver

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/outbox-relay/outbox-relay/test/internal/cachedir"
	"github.com/outbox-relay/outbox-relay/test/internal/maven"
)

//go:embed pom.xml
var pom []byte

// Errors that tell which tool the machine lacks.
var (
	ErrNoJava  = errors.New("java not found; install Debian's package default-jre-headless (Java 17 or later)")
	ErrNoMaven = maven.ErrNotFound
)

// Fetch returns the folder with the broker's jars. The first call on a machine downloads them (92 files, 54 MB) from
// Maven Central into the cache; programs that run at the same time wait for one download.
func Fetch(ctx context.Context) (string, error) {
	sum := sha256.Sum256(pom) // a changed pom is another entry
	dir, err := cachedir.Entry(ctx, "kafka-"+hex.EncodeToString(sum[:4]), func(ctx context.Context, dir string) error {
		return maven.CopyDependencies(ctx, pom, dir)
	})
	if err != nil {
		return "", fmt.Errorf("fetch Apache Kafka: %w", err)
	}
	return dir, nil
}
