package debezium

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"

	"github.com/outbox-relay/outbox-relay/test/internal/cachedir"
	"github.com/outbox-relay/outbox-relay/test/internal/maven"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
)

// Versions of what pom.xml names.
const (
	Version        = "3.6.1.Final"
	ConnectVersion = "4.3.1"
)

//go:embed pom.xml
var pom []byte

// Fetch returns the folder with the jars of Connect and Debezium. The first call on a machine downloads them (69 files,
// 38 MB) from Maven Central into the cache of the test servers; programs that run at the same time wait for one
// download.
func Fetch(ctx context.Context) (string, error) {
	sum := sha256.Sum256(pom) // a changed pom is another entry
	dir, err := cachedir.Entry(ctx, "debezium-"+hex.EncodeToString(sum[:4]), func(ctx context.Context, dir string) error {
		return maven.CopyDependencies(ctx, pom, dir)
	})
	if err != nil {
		return "", fmt.Errorf("fetch Debezium: %w", err)
	}
	return dir, nil
}

var javaVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// JavaVersion is the major version of the Java that Start uses, like 17. Some of what Debezium sends depends on it.
func JavaVersion(ctx context.Context) (int, error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return 0, kafkaserver.ErrNoJava
	}
	out, err := exec.CommandContext(ctx, java, "-version").CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("ask java for its version: %w\n%s", err, out)
	}
	found := javaVersion.FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("no version found in what java -version says: %.200q", out)
	}
	return strconv.Atoi(string(found[1]))
}
