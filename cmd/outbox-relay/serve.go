package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/outbox-relay/outbox-relay/cmd/internal/buildinfo"
	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/internal/web"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/statuspage"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// serve runs the daemon until ctx is done or it cannot go on.
func serve(ctx context.Context, p daemon.Process, s *settings, effective []options.Setting) error {
	recent := &logging.Recent{}
	log, err := logging.New(p.Stderr, s.logLevel, s.logFormat, recent)
	if err != nil {
		return daemon.Configuration(err)
	}
	reg := registry()
	s.exporting = s.export(ctx, p.Env, reg, log)
	defer s.exporting.end()
	producer, relay, err := s.build(reg, log)
	if err != nil {
		return daemon.Configuration(err)
	}
	defer producer.Close() //nolint:errcheck // everything sent was acknowledged or will be sent again
	page := s.statusPage(relay, recent, effective)
	server := web.New(web.Config{Name: program, ListenAddress: s.listenAddress, PProf: s.pprof, Pages: pages(page), ConfigFile: s.webConfig, Log: slog.New(zerolog.NewSlogHandler(log))}, reg, relay)
	if err := server.Listen(ctx); err != nil {
		return daemon.Configuration(err)
	}
	s.announce(log, server.Addr())
	if err := together(ctx, server, relay, page, findSupervisor(p.Env, log)); err != nil {
		err = exitCode(err)
		log.Error().Err(err).Int("exit_code", daemon.Code(err)).Msg("relay stopped")
		return daemon.Reported(err)
	}
	return nil
}

// together runs relay and endpoint. The relay's end ends all; the endpoint goes
// on answering, and systemd is told, while the relay drains.
func together(ctx context.Context, server *web.Server, relay *pipeline.Relay, page *statuspage.Page, above supervisor) error {
	side, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var g errgroup.Group
	g.Go(func() error {
		defer stop()
		err := relay.Run(ctx)
		lastWords(page, err)
		return err
	})
	g.Go(func() error {
		page.Run(side)
		return nil
	})
	g.Go(func() error {
		relay.Watch(side)
		return nil
	})
	g.Go(func() error {
		above.report(side, ctx, relay)
		return nil
	})
	g.Go(func() error {
		defer cancel() // without its endpoint the relay cannot be watched
		return server.Run(side)
	})
	return g.Wait()
}

func (s *settings) build(reg *prometheus.Registry, log zerolog.Logger) (*kafka.Producer, *pipeline.Relay, error) {
	route, err := router.New(s.router)
	if err != nil {
		return nil, nil, err
	}
	metrics := pipeline.NewMetrics(reg, s.replication.Slot)
	metrics.Limit(s.failures.maxTypes)
	producer, err := kafka.New(s.kafka, log, metrics)
	if err != nil {
		return nil, nil, err
	}
	config := s.connection()
	beats, err := s.connector.heartbeat.config(s.router)
	if err != nil {
		return nil, nil, err
	}
	if beats.Query == "" && s.connector.heartbeat.query != "" {
		log.Warn().Msg("heartbeat.action.query is not run: as in Debezium it needs heartbeat.interval.ms")
	}
	config.TickInterval = beats.Interval
	after, err := s.imported.transform(&s.router)
	if err != nil {
		return nil, nil, err
	}
	s.imported.tell(log)
	s.tellExposed(log)
	limitMemory(s.queueBytes)
	return producer, pipeline.New(pipeline.Config{
		Replication: config, Router: route, After: after, Producer: producer,
		Columns: s.router.Columns(), Errors: s.failures.policy(),
		ExcludeColumns: s.connector.excludeColumns, Unavailable: s.connector.unavailable, Heartbeat: beats, DropSlot: s.connector.dropOnStop,
		Limits:          pipeline.Limits{Records: s.queueSize, Bytes: int(s.queueBytes)},
		ReadyMaxAge:     s.readyMaxAge,
		ShutdownTimeout: s.shutdownTimeout,
		Tracer:          s.exporting.tracer,
		Metrics:         metrics, Log: log,
		Database: s.database.Name(), Brokers: s.kafka.BootstrapServers,
	}), nil
}

// applicationName tells two relays on one slot apart by their hosts.
func applicationName() string {
	host, err := os.Hostname()
	if err != nil {
		return program
	}
	name := program + "@" + host
	return name[:min(63, len(name))] // PostgreSQL's NAMEDATALEN
}

// limitMemory keeps the garbage collector from letting the heap double: what is
// in flight is reused, so the garbage beside it is small. GOMEMLIMIT, if set,
// has the last word.
func limitMemory(queue int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(queue + 24<<20)
	}
}

func registry() *prometheus.Registry {
	reg := prometheus.NewRegistry()
	reg.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		buildinfo.Read(version).Collector("outbox_relay"),
	)
	return reg
}

// announce is the one line at the start. It holds no password.
func (s *settings) announce(log zerolog.Logger, addr string) {
	e := log.Info().Str("version", buildinfo.Read(version).Version)
	e.Str("database", s.database.Name()).Str("slot", s.replication.Slot).Str("publication", s.replication.Publication).Stringer("tables", s.replication.Tables).
		Strs("brokers", s.kafka.BootstrapServers).Str("listen", addr).Msg("outbox-relay started")
}

// exitCode says with which code the process ends.
func exitCode(err error) error {
	var config *kafka.ConfigError
	switch replication.ClassOf(err) {
	case replication.Configuration:
		return daemon.Configuration(err)
	case replication.Human:
		return daemon.NeedsHuman(err)
	}
	if errors.As(err, &config) {
		return daemon.Configuration(err)
	}
	return err
}
