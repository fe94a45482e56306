package main

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	tests := []struct {
		values []time.Duration
		p      int
		want   time.Duration
	}{
		{hundred, 50, 50}, {hundred, 99, 99}, {hundred, 100, 100}, {hundred, 0, 1},
		{hundred[:1], 50, 1}, {hundred[:3], 50, 2}, {hundred[:3], 99, 3}, {nil, 50, 0},
	}
	for _, test := range tests {
		if got := percentile(test.values, test.p); got != test.want {
			t.Errorf("p%d of %d values: got %d, want %d", test.p, len(test.values), got, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	d := &demo{out: &out}
	d.printHeading()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	d.printEvent(event{topic: topic, partition: 2, key: "17", value: `{"id": 17}`, arrived: at}, 1234*time.Microsecond)
	want := `The shop does one transaction a second; the time is from its commit to the consumer. Ctrl-C ends it.

arrived           after  topic/partition       order  event
03:04:05.006    1.23 ms  outbox.event.order/2     17  {"id": 17}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	args := relayArgs("postgres://u@h/d?sslmode=disable", []string{"a:1", "b:2"})
	for _, want := range []string{"-bootstrap.servers=a:1,b:2", "-topic.creation.enable"} {
		if !slices.Contains(args, want) {
			t.Errorf("no %s in %q", want, args)
		}
	}
	if got, want := commandLine([]string{"-a=b?c", "-d", "it's"}), "'-a=b?c' \\\n    -d \\\n    'it'\\''s'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
