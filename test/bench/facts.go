package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/outbox-relay/outbox-relay/test/debezium"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
)

// facts are what a reader must know of machine and programs. They name neither host nor folder.
type facts struct {
	Date      string
	CPUs      int
	Processor string
	MemoryGB  string
	Relay     string
	Revision  string // of the working tree, if the relay was built from it and git knows
	Postgres  string
	Kafka     string
	Java      string
	Go        string
	Debezium  string
}

// findFacts fills in the report's facts.
func (s *stand) findFacts(ctx context.Context, r *report) []error {
	r.facts = facts{
		Date: time.Now().UTC().Format(time.DateOnly), CPUs: runtime.NumCPU(), Go: strings.TrimPrefix(runtime.Version(), "go"),
		Processor: lineValue("/proc/cpuinfo", "model name"), MemoryGB: memoryGB(lineValue("/proc/meminfo", "MemTotal")),
		Debezium: fmt.Sprintf("%s in Kafka Connect %s", strings.TrimSuffix(debezium.Version, ".Final"), debezium.ConnectVersion),
	}
	var err error
	if r.facts.Relay, err = firstLine(ctx, s.relay, "-version"); err != nil {
		return []error{err}
	}
	if s.choices.relay == "" {
		// The build stamps it only where it is not told otherwise. Without git it is not known, which is no failure.
		r.facts.Revision, _ = firstLine(ctx, "git", "describe", "--always", "--dirty", "--abbrev=12")
	}
	server, err := firstLine(ctx, filepath.Join(s.postgres.Binaries().Dir, "postgres"), "--version")
	if err != nil {
		return []error{err}
	}
	r.facts.Postgres = postgresVersion(server)
	java, err := firstLine(ctx, "java", "-version")
	if err != nil {
		return []error{err}
	}
	r.facts.Java = quoted(java)
	jars, err := kafkaserver.Fetch(ctx)
	if err != nil {
		return []error{err}
	}
	r.facts.Kafka = jarVersion(jars, "kafka-server-")
	return nil
}

// firstLine runs a program and returns the first line that it prints, wherever it prints it.
func firstLine(ctx context.Context, program string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", filepath.Base(program), err)
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	return strings.TrimSpace(string(line)), nil
}

var (
	postgresPattern = regexp.MustCompile(`\(PostgreSQL\) (\S+)`)
	quotedPattern   = regexp.MustCompile(`"([^"]+)"`)
)

// postgresVersion is the number in the answer of postgres --version, or all of it.
func postgresVersion(line string) string { return group(postgresPattern, line) }

// quoted is what stands in quotes in the answer of java -version, or all of it.
func quoted(line string) string { return group(quotedPattern, line) }

func group(pattern *regexp.Regexp, line string) string {
	if match := pattern.FindStringSubmatch(line); match != nil {
		return match[1]
	}
	return line
}

// jarVersion is the version of the jar called prefix + version.
func jarVersion(dir, prefix string) string {
	found, _ := filepath.Glob(filepath.Join(dir, prefix+"[0-9]*.jar")) // the pattern is well-formed
	if len(found) == 0 {
		return "unknown"
	}
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(found[0]), prefix), ".jar")
}

// lineValue is what follows "name:" in the first such line of a file in /proc; empty elsewhere than on Linux.
func lineValue(path, name string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// memoryGB turns "24683652 kB" into "24".
func memoryGB(total string) string {
	var kilobytes float64
	if _, err := fmt.Sscan(total, &kilobytes); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%.0f", kilobytes/(1<<20))
}
