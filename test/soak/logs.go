package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeLogs writes all that is known of a round into a folder of its own below dir.
func (r *round) writeLogs(dir string) (string, error) {
	dir = filepath.Join(dir, fmt.Sprint(r.plan.seed))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for logs: %w", err)
	}
	files := map[string]string{
		"round.log":    r.plan.String() + "\n" + strings.Join(r.plan.options, " ") + "\n" + strings.Join(r.notes, "\n") + "\n" + r.report.String() + "\n",
		"postgres.log": r.stand.postgres.LogTail(300),
	}
	for i := range r.stand.kafka.Addrs() {
		files[fmt.Sprintf("broker-%d.log", i)] = r.stand.kafka.LogTail(i, 200)
	}
	for i, proc := range r.relay.all() {
		files[fmt.Sprintf("relay-%d.log", i)] = proc.Tail(10_000)
	}
	var errs []error
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			errs = append(errs, fmt.Errorf("keep a log: %w", err))
		}
	}
	return dir, errors.Join(errs...)
}
