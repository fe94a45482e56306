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
		"-errors.retry.delay.max.ms", "50", "-skip.lsn", "0/A#2", "-skip.id", "x", "-expand.json.failure", "fail")
	if d := s.kafka.DeadLetters; d.Topic != "dead" || !d.Context || d.Connector != "s" || d.ReplicationFactor != -1 || d.LogEach || d.LogRecord {
		t.Errorf("dead letters: %+v", d)
	}
	if s.kafka.RetryTimeout != 10*time.Minute || s.kafka.RetryBackoffMax != 50*time.Millisecond || s.kafka.RetryBackoff != 50*time.Millisecond {
		t.Errorf("repeats for %v, pauses from %v to %v", s.kafka.RetryTimeout, s.kafka.RetryBackoff, s.kafka.RetryBackoffMax)
	}
	want := pipeline.Errors{Aside: true, FailUnexpanded: true, Skip: pipeline.Skip{LSN: 10, Row: 2, ID: "x"}}
	if got := s.failures.policy(); got != want {
		t.Errorf("policy %+v, want %+v", got, want)
	}
}

func TestErrorsDefaults(t *testing.T) {
	t.Parallel()
	for _, timeout := range []string{"-1", "0"} {
		s := parsed(t, "-errors.retry.timeout", timeout)
		if s.kafka.RetryTimeout != 0 || s.kafka.RetryBackoffMax != time.Second || s.failures.policy() != (pipeline.Errors{}) {
			t.Errorf("%s: repeats for %v, pauses to %v, policy %+v", timeout, s.kafka.RetryTimeout, s.kafka.RetryBackoffMax, s.failures.policy())
		}
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
