package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/floor"
)

// measureAll runs the parts that were chosen. What failed is missing in the report and among the failures.
func (s *stand) measureAll(ctx context.Context) (*report, []error) {
	r := &report{choices: s.choices, plan: s.plan, withReceive: s.receive != ""}
	var failures []error
	steps := []struct {
		part string
		do   func(context.Context, *report) []error
	}{
		{"", s.findFacts}, {"", s.warmBroker},
		{partDrain, s.measureDrains}, {partLatency, s.measureLatencies},
		{partStart, s.measureStart}, {partRecovery, s.measureRecovery},
		{partShards, s.measureShards}, {partGrowth, s.measureGrowth},
	}
	for _, step := range steps {
		if ctx.Err() == nil && (step.part == "" || slices.Contains(s.parts, step.part)) {
			failures = append(failures, step.do(ctx, r)...)
		}
	}
	return r, failures
}

// warmBroker lets the broker's JVM compile what it needs for producing, which would slow down whoever is first.
func (s *stand) warmBroker(ctx context.Context, _ *report) []error {
	s.say("warming up the broker")
	const rows = 100_000
	db := &database{stand: s, name: "postgres"} // its name alone is needed
	c := contender{nameProducer, tells, false, s.startFloor(floor.ProduceCommand)}
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	t, err := s.newTarget(ctx, c, db, shape{topics: 1})
	if err != nil {
		return []error{err}
	}
	t.rows, t.payload = rows, 300
	if s.rows > 0 {
		t.rows = min(rows, s.rows)
	}
	_, err = runDrain(ctx, c, t)
	return failed("warm up the broker", errors.Join(err, s.removeTarget(t)))
}

func failed(what string, err error) []error {
	if err == nil {
		return nil
	}
	return []error{fmt.Errorf("%s: %w", what, err)}
}

func (s *stand) measureDrains(ctx context.Context, r *report) []error {
	var failures []error
	for i, shape := range s.plan.shapes {
		if ctx.Err() != nil {
			break
		}
		b, errs := s.drain(ctx, i, shape)
		r.drains = append(r.drains, b)
		failures = append(failures, errs...)
	}
	return failures
}

// withDatabase runs do with a database of its own.
func (s *stand) withDatabase(ctx context.Context, name string, do func(*database) []error) []error {
	db, err := s.newDatabase(ctx, name)
	if err != nil {
		return []error{err}
	}
	return append(do(db), failed("clean up", db.drop())...)
}

func (s *stand) measureLatencies(ctx context.Context, r *report) []error {
	return s.withDatabase(ctx, "latency", func(db *database) []error {
		var failures []error
		for _, rows := range s.plan.rates {
			b, errs := s.eachFlow(ctx, db, fmt.Sprintf("%s rows/s", thousands(float64(rows))), s.latency(rows))
			r.latencies = append(r.latencies, b)
			failures = append(failures, errs...)
		}
		return failures
	})
}

func (s *stand) measureStart(ctx context.Context, r *report) []error {
	return s.withDatabase(ctx, "start", func(db *database) (failures []error) {
		r.start, failures = s.eachFlow(ctx, db, "start to first record", s.firstRecord)
		return failures
	})
}

func (s *stand) measureRecovery(ctx context.Context, r *report) []error {
	return s.withDatabase(ctx, "recovery", func(db *database) (failures []error) {
		r.recovery, failures = s.eachFlow(ctx, db, "recovery after kill -9", s.recovery)
		return failures
	})
}
