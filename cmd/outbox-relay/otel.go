package main

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/outbox-relay/outbox-relay/cmd/internal/buildinfo"
	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/otlp"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
)

// exporting is the export that runs. The zero value exports nothing.
type exporting struct {
	tracer pipeline.Tracer // nil for none
	stop   func()          // sends what is left and waits; nil for nothing
}

// export starts the export if the options ask for it. What fails in it is told and
// never holds an event up.
func (s *settings) export(ctx context.Context, env []string, reg *prometheus.Registry, log zerolog.Logger) exporting {
	o := s.otel
	if err := o.environment(env); err != nil {
		log.Warn().Err(err).Msg("OpenTelemetry is off")
	}
	if !o.on() {
		return exporting{}
	}
	headers, _ := headerMap(o.headers) // they were checked
	client, err := otlp.NewClient(o.endpoint, headers)
	if err != nil {
		log.Warn().Err(err).Msg("OpenTelemetry is off")
		return exporting{}
	}
	res := describeProcess(ctx, log)
	log.Info().Str("endpoint", logging.Redact(o.endpoint)).Strs("signals", o.signals).Msg("OpenTelemetry is on")
	var e exporting
	var stops []func()
	for _, signal := range o.signals {
		trouble := logging.NewRepeated(log, "the OpenTelemetry collector does not take "+signal+", which are dropped", "the OpenTelemetry collector takes "+signal+" again", time.Now)
		tell := func(err error) {
			if err != nil {
				trouble.Failed(err)
			} else {
				trouble.Recovered()
			}
		}
		if signal == "traces" {
			provider := trace.NewTracerProvider(trace.WithBatcher(otlp.NewSpans(client, tell)), trace.WithResource(res))
			e.tracer = otlp.NewTracer(provider, s.replication.Slot)
			stops = append(stops, func() { shutdown(ctx, provider) })
		} else {
			stops = append(stops, background(ctx, &otlp.Metrics{Client: client, Gatherer: reg, Resource: res, Interval: o.interval, Began: time.Now(), Tell: tell}))
		}
	}
	e.stop = func() {
		for _, stop := range stops {
			stop()
		}
		client.Close()
	}
	return e
}

// flushTimeout bounds the last spans.
const flushTimeout = 3 * time.Second

func shutdown(ctx context.Context, provider *trace.TracerProvider) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	_ = provider.Shutdown(ctx) // what was not sent was told by the exporter
}

// background runs the metrics' export until the function it returns is called.
func background(ctx context.Context, m *otlp.Metrics) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { m.Run(ctx) })
	return func() {
		cancel()
		wg.Wait()
	}
}

// describeProcess says what sends: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
// have the last word.
func describeProcess(ctx context.Context, log zerolog.Logger) *resource.Resource {
	res, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", program), attribute.String("service.version", buildinfo.Read(version).Version)),
		resource.WithHost(), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		log.Warn().Err(err).Msg("OTEL_RESOURCE_ATTRIBUTES were not all taken")
	}
	return res
}

// end sends what is left.
func (e *exporting) end() {
	if e.stop != nil {
		e.stop()
	}
}
