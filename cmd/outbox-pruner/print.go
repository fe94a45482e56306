package main

import (
	_ "embed"
	"io"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/buildinfo"
	"github.com/outbox-relay/outbox-relay/cmd/internal/metricdoc"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
)

// setupSQL makes the role, what it may, and the table of the state.
//
//go:embed setup.sql
var setupSQL string

// The options that ask for something instead of running the pruner.
const (
	printSQL     = "print-sql"
	printMetrics = "print-metrics"
)

// declareInformation declares them.
func declareInformation(g *options.Group) {
	g.Info(printSQL, "print the SQL that makes the pruner's role and the table of its state, and exit")
	g.Info(printMetrics, "print the series of /metrics with their types and meanings, as Markdown, and exit")
}

// listMetrics prints what the endpoint can export.
func listMetrics(w io.Writer) error {
	reg := metricdoc.Around(registry())
	prune.NewMetrics(reg)
	promhttp.HandlerFor(reg, promhttp.HandlerOpts{Registry: reg}) // which has a counter of its own
	return metricdoc.Print(w, reg, prune.Namespace+"_")
}

func registry() *prometheus.Registry {
	reg := prometheus.NewRegistry()
	reg.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		buildinfo.Read(version).Collector(prune.Namespace),
	)
	return reg
}
