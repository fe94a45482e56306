package options_test

import "testing"

// TestKubernetesVariables has what a pod gets when Services named outbox-sample and outbox-sample-metrics exist in
// its namespace; none of it may keep the program from starting.
func TestKubernetesVariables(t *testing.T) {
	t.Parallel()
	tests := []struct {
		env  string
		want string
	}{
		{"OUTBOX_SAMPLE_SERVICE_HOST=10.0.0.7", ""},
		{"OUTBOX_SAMPLE_SERVICE_PORT=9187", ""},
		{"OUTBOX_SAMPLE_SERVICE_PORT_HTTP=9187", ""},
		{"OUTBOX_SAMPLE_PORT=tcp://10.0.0.7:9187", ""},
		{"OUTBOX_SAMPLE_PORT_9187_TCP=tcp://10.0.0.7:9187", ""},
		{"OUTBOX_SAMPLE_PORT_9187_TCP_PROTO=tcp", ""},
		{"OUTBOX_SAMPLE_PORT_9187_TCP_PORT=9187", ""},
		{"OUTBOX_SAMPLE_PORT_9187_TCP_ADDR=10.0.0.7", ""},
		{"OUTBOX_SAMPLE_METRICS_SERVICE_HOST=10.0.0.7", ""},
		{"OUTBOX_SAMPLE_METRICS_PORT=udp://10.0.0.7:9187", ""},
		{"OUTBOX_SAMPLE_PORT=9187", "unknown environment variable OUTBOX_SAMPLE_PORT"},
		{"OUTBOX_SAMPLE_SERVICE=x", "unknown environment variable OUTBOX_SAMPLE_SERVICE"},
		{"OUTBOX_SAMPLE_HELP=true", "unknown environment variable OUTBOX_SAMPLE_HELP"},
		{"OUTBOX_SAMPLE_LOG_LEVEL=loud", `environment variable OUTBOX_SAMPLE_LOG_LEVEL: "loud" is not one of`},
		{"outbox_sample_log_level=loud", ""},
		{"OUTBOX_OTHER_LOG_LEVEL=loud", ""},
		{"not a variable", ""},
	}
	for _, test := range tests {
		t.Run(test.env, func(t *testing.T) {
			t.Parallel()
			checkOne(t, sample(&config{}).Parse([]string{"-slot.name=s"}, []string{test.env}), test.want)
		})
	}
}
