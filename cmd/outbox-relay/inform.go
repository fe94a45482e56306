package main

import (
	"context"
	"fmt"
	"io"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/internal/metricdoc"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/schema"
)

// The options that ask for something instead of running the relay.
const (
	printDDL     = "print-ddl"
	printMetrics = "print-metrics"
	askReady     = "healthcheck"
	askLive      = "healthcheck.live"
)

// declareInformation declares them.
func declareInformation(g *options.Group) {
	g.InfoOf(printDDL, "print the SQL of the outbox table, in one piece or in daily partitions, of a sequence in it or of the consumer's inbox, and exit", schema.DDLNames()...)
	g.Info(printMetrics, "print the series of /metrics with their types and meanings, as Markdown, and exit")
	g.Info(askReady, "ask the relay that runs on this machine with the same web.listen-address whether it is ready (/readyz), and exit with 0 or 1, for Docker's HEALTHCHECK")
	g.Info(askLive, "the same with /livez, for what restarts an unhealthy container: waiting for Kafka is no reason to")
}

// inform does what one of them asks for.
func inform(ctx context.Context, p daemon.Process, asked *options.InfoError) error {
	switch asked.Name {
	case printMetrics:
		return listMetrics(p.Stdout)
	case askReady:
		return healthy(ctx, p, "/readyz")
	case askLive:
		return healthy(ctx, p, "/livez")
	}
	ddl, _ := schema.DDLNamed(asked.Value)
	if _, err := fmt.Fprint(p.Stdout, ddl); err != nil {
		return fmt.Errorf("print the DDL: %w", err)
	}
	return nil
}

// listMetrics prints what the endpoint can export.
func listMetrics(w io.Writer) error {
	reg := metricdoc.Around(registry())
	pipeline.NewMetrics(reg, "")
	promhttp.HandlerFor(reg, promhttp.HandlerOpts{Registry: reg}) // which has a counter of its own
	return metricdoc.Print(w, reg, "outbox_relay_")
}
