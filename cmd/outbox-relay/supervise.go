package main

import (
	"context"

	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/cmd/internal/systemd"
)

// supervisor is systemd, if it started the relay and wants to know how it is.
type supervisor struct {
	notifier *systemd.Notifier
	log      zerolog.Logger
}

// findSupervisor reads the environment. One that makes no sense is told and no reason not to relay: systemd itself
// gives up on a service that it does not hear of.
func findSupervisor(env []string, log zerolog.Logger) supervisor {
	notifier, err := systemd.FromEnv(env)
	if err != nil {
		log.Warn().Err(err).Msg("systemd is not told how the relay is")
	}
	return supervisor{notifier, log}
}

// report tells it until ctx is done; stop is done when the relay begins to stop.
func (s supervisor) report(ctx, stop context.Context, probe systemd.Probe) {
	if err := s.notifier.Run(ctx, stop.Done(), probe); err != nil {
		s.log.Warn().Err(err).Msg("systemd was not always told how the relay is")
	}
}
