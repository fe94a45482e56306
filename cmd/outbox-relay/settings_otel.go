package main

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/otlp"
)

// telemetry is where spans and metrics are sent, if anywhere.
type telemetry struct {
	endpoint string
	headers  []string
	signals  []string
	interval time.Duration
}

func (o *telemetry) declare(g *options.Group) {
	g.String(&o.endpoint, "otel.exporter.otlp.endpoint", "", "send spans and metrics to the OpenTelemetry collector at this `URL`, such as http://collector:4318, by OTLP over HTTP with JSON. Empty leaves it to OTEL_EXPORTER_OTLP_ENDPOINT, and without that nothing is sent. The SDK's other OTEL_* variables hold too: service name, resource attributes, sampler, span batches")
	g.List(&o.headers, "otel.exporter.otlp.headers", nil, "`name=value` of HTTP headers for the collector, separated by commas, values percent-encoded; better given in the environment. Empty leaves it to OTEL_EXPORTER_OTLP_HEADERS", options.Secret())
	g.List(&o.signals, "otel.signals", []string{"traces", "metrics"}, "what is sent: traces follow events whose record has a traceparent, metrics are those of /metrics", options.OneOf("traces", "metrics"))
	g.Duration(&o.interval, "otel.metric.export.interval.ms", time.Minute, "pause between two exports of the metrics", options.AtLeast(time.Second))
}

// check reports mistakes in the options.
func (o *telemetry) check() error {
	if o.endpoint != "" {
		if _, err := otlp.NewClient(o.endpoint, nil); err != nil {
			return fmt.Errorf("otel.exporter.otlp.endpoint: %w", err)
		}
	}
	if _, err := headerMap(o.headers); err != nil {
		return fmt.Errorf("otel.exporter.otlp.headers: %w", err)
	}
	return nil
}

func (o *telemetry) on() bool { return o.endpoint != "" && len(o.signals) > 0 }

// environment completes the options from the OTEL_* variables that every program with OpenTelemetry knows. What is
// wrong with them turns the export off, and does not keep events from flowing: they are often set for many programs.
func (o *telemetry) environment(env []string) error {
	vars := make(map[string]string)
	for _, e := range env {
		if name, value, _ := strings.Cut(e, "="); strings.HasPrefix(name, "OTEL_") {
			vars[name] = value
		}
	}
	if vars["OTEL_SDK_DISABLED"] == "true" {
		o.endpoint = ""
		return nil
	}
	explicit := o.endpoint != ""
	if !explicit {
		o.endpoint = vars["OTEL_EXPORTER_OTLP_ENDPOINT"]
	}
	if len(o.headers) == 0 && vars["OTEL_EXPORTER_OTLP_HEADERS"] != "" {
		o.headers = strings.Split(vars["OTEL_EXPORTER_OTLP_HEADERS"], ",")
	}
	for _, signal := range []string{"traces", "metrics"} {
		if vars["OTEL_"+strings.ToUpper(signal)+"_EXPORTER"] == "none" {
			o.signals = slices.DeleteFunc(slices.Clone(o.signals), func(s string) bool { return s == signal })
		}
	}
	if ms, err := strconv.Atoi(vars["OTEL_METRIC_EXPORT_INTERVAL"]); err == nil && ms >= 1000 && o.interval == time.Minute {
		o.interval = time.Duration(ms) * time.Millisecond
	}
	if explicit || o.endpoint == "" {
		return nil
	}
	err := o.check()
	if protocol := vars["OTEL_EXPORTER_OTLP_PROTOCOL"]; strings.HasPrefix(protocol, "grpc") {
		err = errors.Join(err, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %s, and the relay speaks OTLP over HTTP only; name the collector's HTTP port in otel.exporter.otlp.endpoint", protocol))
	}
	if err != nil {
		o.endpoint = ""
	}
	return err
}

// headerMap takes name=value pairs apart. No error shows a value.
func headerMap(pairs []string) (map[string]string, error) {
	out := make(map[string]string)
	for i, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || name == "" || err != nil {
			return nil, fmt.Errorf("header %d is not of the form name=value", i+1)
		}
		out[name] = decoded
	}
	return out, nil
}
