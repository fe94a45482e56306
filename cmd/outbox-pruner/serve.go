package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	_ "time/tzdata" // a container has no zones of its own

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/outbox-relay/outbox-relay/cmd/internal/buildinfo"
	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/cmd/internal/systemd"
	"github.com/outbox-relay/outbox-relay/cmd/internal/web"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
	"github.com/outbox-relay/outbox-relay/replication"
)

// serve prunes until ctx is done, once, or until it cannot go on.
func serve(ctx context.Context, p daemon.Process, s *settings) error {
	log, err := logging.New(p.Stderr, s.logLevel, s.logFormat)
	if err != nil {
		return daemon.Configuration(err)
	}
	reg := registry()
	pruner := s.build(reg, log, p)
	if s.prune.Once {
		return s.finish(log, brokenOff(ctx, pruner.Run(ctx)))
	}
	server := web.New(web.Config{Name: program, ListenAddress: s.listenAddress, PProf: s.pprof, ConfigFile: s.webConfig, Log: slog.New(zerolog.NewSlogHandler(log))}, reg, pruner)
	if err := server.Listen(ctx); err != nil {
		return daemon.Configuration(err)
	}
	log.Info().Str("version", buildinfo.Read(version).Version).Str("database", s.database.Name()).Str("listen", server.Addr()).Msg(program + " started")
	return s.finish(log, together(ctx, server, pruner, p.Env, log))
}

// brokenOff says of one pass that a signal has ended it, not which statement was under way.
func brokenOff(ctx context.Context, err error) error {
	if !errors.Is(err, context.Canceled) || ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("the pass was broken off; what it has deleted was proven: %w", context.Cause(ctx))
}

// build makes the pruner of the settings.
func (s *settings) build(reg *prometheus.Registry, log zerolog.Logger, p daemon.Process) *prune.Pruner {
	config := s.prune
	dial := replication.Config{ApplicationName: applicationName(), Connect: func() (*pgx.ConnConfig, error) { return s.database.Connect() }}
	config.Connect = dial.Dial
	config.Metrics = prune.NewMetrics(reg)
	config.Log, config.Out = log, p.Stdout
	return prune.New(config)
}

// finish tells an error with its exit code.
func (s *settings) finish(log zerolog.Logger, err error) error {
	if err == nil {
		return nil
	}
	switch replication.ClassOf(err) {
	case replication.Configuration:
		err = daemon.Configuration(err)
	case replication.Human:
		err = daemon.NeedsHuman(err)
	}
	log.Error().Err(err).Int("exit_code", daemon.Code(err)).Msg("pruner stopped")
	return daemon.Reported(err)
}

// together runs pruner and endpoint, and tells systemd. The pruner's end ends all.
func together(ctx context.Context, server *web.Server, pruner *prune.Pruner, env []string, log zerolog.Logger) error {
	side, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	notifier, err := systemd.FromEnv(env)
	if err != nil {
		log.Warn().Err(err).Msg("systemd is not told how the pruner is")
	}
	var g errgroup.Group
	g.Go(func() error {
		defer stop()
		return pruner.Run(ctx)
	})
	g.Go(func() error {
		if err := notifier.Run(side, ctx.Done(), pruner); err != nil {
			log.Warn().Err(err).Msg("systemd was not always told how the pruner is")
		}
		return nil
	})
	g.Go(func() error {
		defer cancel() // without its endpoint the pruner cannot be watched
		return server.Run(side)
	})
	return g.Wait()
}

// applicationName shows in pg_stat_activity.
func applicationName() string {
	host, err := os.Hostname()
	if err != nil {
		return program
	}
	name := fmt.Sprintf("%s@%s", program, host)
	return name[:min(63, len(name))] // PostgreSQL's NAMEDATALEN
}
