package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/preflight"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

// check are the options of the look before a start.
type check struct {
	on     bool
	format string
}

func (c *check) declare(g *options.Group) {
	g.Bool(&c.on, "check", false, "find out whether PostgreSQL and Kafka are as this configuration needs them, print one line for each check with what would mend it, and exit: with 0 if a start would work, else with the code that a start would end with. Nothing is read from the slot, made or changed")
	g.String(&c.format, "check.format", "text", "what check prints: lines for people, or json for programs", options.OneOf("text", "json"))
}

// preflight is -check.
func (s *settings) preflight(ctx context.Context, p daemon.Process) error {
	config, err := s.checked()
	if err != nil {
		return daemon.Configuration(err)
	}
	report := preflight.Run(ctx, config)
	write := report.Text
	if s.check.format == "json" {
		write = report.JSON
	}
	if err := write(p.Stdout); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if code := report.ExitCode(); code != daemon.OK {
		return daemon.Reported(&daemon.ExitError{Code: code, Err: errors.New("the check found errors")})
	}
	return nil
}

// checked is what a start would be made of.
func (s *settings) checked() (preflight.Config, error) {
	route, err := router.New(s.router)
	if err != nil {
		return preflight.Config{}, err
	}
	targets, err := s.router.Targets()
	if err != nil {
		return preflight.Config{}, err
	}
	if s.imported.after != "" {
		targets = router.Targets{} // a transform may change the topic
	}
	beats, err := s.imported.through(&s.router, s.connector.heartbeat.topic(s.router.TopicPrefix))
	if err != nil {
		return preflight.Config{}, err
	}
	config := preflight.Config{
		Database:    s.database.Name(),
		Replication: s.connection(),
		Bind:        func(rel *schema.Relation) error { return pipeline.Bind(route, rel, s.connector.excludeColumns) },
		Kafka:       s.kafka,
		Targets:     targets,
	}
	config.Topics.Fixed = slices.DeleteFunc([]string{beats, s.kafka.DeadLetters.Topic}, func(name string) bool { return name == "" })
	return config, nil
}

// connection completes the slot's side with how to connect.
func (s *settings) connection() replication.Config {
	config := s.replication
	config.Connect = func() (*pgx.ConnConfig, error) { return s.database.Connect() }
	config.ApplicationName = applicationName()
	config.CreateSlot = config.CreateSlot || s.connector.dropOnStop // which leaves none for the next start
	return config
}
