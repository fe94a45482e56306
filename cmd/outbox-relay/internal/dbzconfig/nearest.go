package dbzconfig

import "github.com/outbox-relay/outbox-relay/cmd/internal/options"

// nearest returns the known name that a mistyped one most likely stands for, or "". It is stricter than our own options
// are: foreign keys are many, and most of them are no mistake.
func nearest(name string, known []string) string { return options.Nearest(name, known, 5) }
