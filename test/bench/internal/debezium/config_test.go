package debezium

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestConnectorJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tuning Tuning
		want   map[string]string // "" = must not be there
	}{
		{Defaults, map[string]string{"slot.name": "s", "database.port": "5432", "max.batch.size": "", "poll.interval.ms": ""}},
		{Throughput, map[string]string{"slot.name": "s", "max.batch.size": "8192"}},
		{Latency, map[string]string{"transforms.outbox.route.topic.replacement": "x.${routedByValue}", "poll.interval.ms": "2", "max.batch.size": ""}},
	}
	for _, tt := range tests {
		config := Config{Port: 5432, Slot: "s", Topics: "x.${routedByValue}", Tuning: tt.tuning}
		text, err := config.connectorJSON()
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Config map[string]string }
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		for name, want := range tt.want {
			if got.Config[name] != want {
				t.Errorf("%v %v: %s=%q, want %q", tt.tuning, tt.tuning.Describe(), name, got.Config[name], want)
			}
		}
	}
}

func TestWorkerProperties(t *testing.T) {
	t.Parallel()
	config := Config{Bootstrap: "b:1", Tuning: Throughput}
	got := config.workerProperties(8083, `c:\offsets`, "plugins")
	for _, want := range []string{"bootstrap.servers=b:1\n", "listeners=http://127.0.0.1:8083\n", `filename=c:\\offsets` + "\n", "producer.linger.ms=5\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no line %q in\n%s", want, got)
		}
	}
	config.Tuning = Defaults
	if got := config.workerProperties(1, "", ""); strings.Contains(got, "producer.") {
		t.Errorf("the defaults change the producer:\n%s", got)
	}
}
