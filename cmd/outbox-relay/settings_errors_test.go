package main

import (
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
)

func TestErrorsOptions(t *testing.T) {
	t.Parallel()
	s := parsed(t, "-slot.name", "s", "-errors.tolerance", "all", "-errors.deadletterqueue.topic.name", "dead", "-errors.retry.timeout", "600000",
		"-errors.retry.delay.max.ms", "50", "-skip.lsn", "0/A#2", "-skip.id", "x", "-expand.json.failure", "fail", "-table.unnamed.handling.mode", "warn")
	if d := s.kafka.DeadLetters; d.Topic != "dead" || !d.Context || d.Connector != "s" || d.ReplicationFactor != -1 || d.LogEach || d.LogRecord {
		t.Errorf("dead letters: %+v", d)
	}
	if s.kafka.RetryTimeout != 10*time.Minute || s.kafka.RetryBackoffMax != 50*time.Millisecond || s.kafka.RetryBackoff != 50*time.Millisecond {
		t.Errorf("repeats for %v, pauses from %v to %v", s.kafka.RetryTimeout, s.kafka.RetryBackoff, s.kafka.RetryBackoffMax)
	}
	want := pipeline.Errors{Aside: true, FailUnexpanded: true, Skip: pipeline.Skip{LSN: 10, Row: 2, ID: "x"}, Unnamed: pipeline.UnnamedWarn}
	if got := s.failures.policy(); got != want {
		t.Errorf("policy %+v, want %+v", got, want)
	}
}

func TestErrorsDefaults(t *testing.T) {
	t.Parallel()
	for _, timeout := range []string{"-1", "0"} {
		s := parsed(t, "-errors.retry.timeout", timeout)
		if s.kafka.RetryTimeout != 0 || s.kafka.RetryBackoffMax != time.Second || s.failures.policy() != (pipeline.Errors{Unnamed: pipeline.UnnamedAuto}) {
			t.Errorf("%s: repeats for %v, pauses to %v, policy %+v", timeout, s.kafka.RetryTimeout, s.kafka.RetryBackoffMax, s.failures.policy())
		}
	}
}

// Dead letters do not go where events go. Where nobody can know, the topic is taken.
func TestDeadLettersAmongEvents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, topic string
		routing     []string
		refused     bool
	}{
		{name: "default routing", topic: "outbox.event.order", refused: true},
		{name: "beside the default", topic: "outbox.dead"},
		{name: "no value makes it", topic: "outbox.event."},
		{name: "one topic", topic: "events", routing: []string{"-route.topic.replacement", "events"}, refused: true},
		{name: "beside one topic", topic: "events.dead", routing: []string{"-route.topic.replacement", "events"}},
		{name: "suffix", topic: "dead.events", routing: []string{"-route.topic.regex", "(.*)", "-route.topic.replacement", "$1.events"}, refused: true},
		{name: "the value is the topic", topic: "dead", routing: []string{"-route.topic.regex", "(.*)", "-route.topic.replacement", "$1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set, _ := declare()
			args := append([]string{"-bootstrap.servers", "kafka:9092", "-errors.tolerance", "all", "-errors.deadletterqueue.topic.name", test.topic}, test.routing...)
			err := set.Parse(args, nil)
			if test.refused != (err != nil && strings.Contains(err.Error(), "events themselves go to")) {
				t.Errorf("refused must be %t, got %v", test.refused, err)
			}
		})
	}
}

func TestErrorsMistakes(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"would be lost":                   {"-errors.tolerance", "all"},
		"nothing goes there":              {"-errors.deadletterqueue.topic.name", "dead"},
		"errors.tolerance":                {"-errors.tolerance", "some"},
		"allowed are letters":             {"-errors.tolerance", "all", "-errors.deadletterqueue.topic.name", "a b"},
		"errors.retry.timeout":            {"-errors.retry.timeout", "-2"},
		"is no LSN":                       {"-skip.lsn", "nowhere"},
		"metrics.max-types":               {"-metrics.max-types", "0"},
		"topic.replication.factor":        {"-errors.deadletterqueue.topic.replication.factor", "-2"},
		"errors.retry.delay.max.ms":       {"-errors.retry.delay.max.ms", "0"},
		"errors.deadletterqueue.context.": {"-errors.deadletterqueue.context.headers.enable=maybe"},
	} {
		set, _ := declare()
		if err := set.Parse(append([]string{"-bootstrap.servers", "kafka:9092"}, args...), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}
