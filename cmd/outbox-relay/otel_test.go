package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTelemetryEnvironment(t *testing.T) {
	t.Parallel()
	both := []string{"traces", "metrics"}
	tests := []struct {
		name  string
		given telemetry
		env   string
		want  telemetry
		err   string
	}{
		{"off", telemetry{}, "", telemetry{}, ""},
		{"by the environment", telemetry{}, "OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318 OTEL_EXPORTER_OTLP_HEADERS=a=b,c=d OTEL_METRIC_EXPORT_INTERVAL=5000", telemetry{endpoint: "http://c:4318", headers: []string{"a=b", "c=d"}, interval: 5 * time.Second}, ""},
		{"options first", telemetry{endpoint: "http://o:1", headers: []string{"x=y"}, interval: time.Second}, "OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318 OTEL_EXPORTER_OTLP_HEADERS=a=b OTEL_METRIC_EXPORT_INTERVAL=5000", telemetry{endpoint: "http://o:1", headers: []string{"x=y"}, interval: time.Second}, ""},
		{"disabled", telemetry{endpoint: "http://o:1"}, "OTEL_SDK_DISABLED=true", telemetry{}, ""},
		{"traces only", telemetry{endpoint: "http://o:1"}, "OTEL_METRICS_EXPORTER=none", telemetry{endpoint: "http://o:1", signals: both[:1]}, ""},
		{"gRPC", telemetry{}, "OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4317 OTEL_EXPORTER_OTLP_PROTOCOL=grpc", telemetry{}, "over HTTP only"},
		{"gRPC for others", telemetry{endpoint: "http://o:1"}, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", telemetry{endpoint: "http://o:1"}, ""},
		{"nonsense", telemetry{}, "OTEL_EXPORTER_OTLP_ENDPOINT=c:4318", telemetry{}, "not an address"},
	}
	for _, test := range tests {
		for _, o := range []*telemetry{&test.given, &test.want} {
			if o.signals == nil {
				o.signals = both
			}
			if o.interval == 0 {
				o.interval = time.Minute
			}
		}
		err := test.given.environment(strings.Fields(test.env))
		if (test.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, test.given, cmp.AllowUnexported(telemetry{})); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestTelemetryMistakes(t *testing.T) {
	t.Parallel()
	code, _, stderr := execute(t, nil, "-bootstrap.servers", "k:9092", "-otel.exporter.otlp.endpoint", "collector", "-otel.exporter.otlp.headers", "a=b,geheim", "-otel.signals", "logs")
	for _, want := range []string{"otel.exporter.otlp.endpoint", "http://collector:4318", "otel.signals"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %s in:\n%s", want, stderr)
		}
	}
	if code != 2 || strings.Contains(stderr, "geheim") {
		t.Errorf("exit code %d, or a secret in:\n%s", code, stderr)
	}
	got, err := headerMap([]string{" authorization = Bearer%20x=y", "b="})
	if err != nil || got["authorization"] != "Bearer x=y" || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}
