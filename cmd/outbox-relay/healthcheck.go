package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/internal/healthcheck"
)

// healthy asks the relay that runs with the same settings and prints its answer. The settings are those of this
// command line and environment, so in a container the listen address belongs into the environment or a file that the
// environment names.
//
// Other mistakes in the settings are not told here: the relay itself refused them, and then there is nobody to ask.
func healthy(ctx context.Context, p daemon.Process, path string) error {
	set, s := declare()
	_ = set.Parse(withoutQuestions(p.Args), p.Env) // as said above
	answer, err := healthcheck.Ask(ctx, healthcheck.Config{ListenAddress: s.listenAddress, ConfigFile: s.webConfig}, path)
	switch {
	case errors.Is(err, healthcheck.ErrPassword) && path == "/livez":
		answer = "alive; the endpoint asks for a password"
	case err != nil:
		return err
	}
	if _, err := fmt.Fprintln(p.Stdout, answer); err != nil {
		return fmt.Errorf("print the answer: %w", err)
	}
	return nil
}

// withoutQuestions drops the options that led here.
func withoutQuestions(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return strings.HasPrefix(arg, "-") && (name == askReady || name == askLive)
	})
}
