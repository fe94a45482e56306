package main

import (
	"context"
	"time"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/floor"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

var saysDone = procs.Contains(floor.Done)

const (
	settleEvery = 200 * time.Millisecond
	settleLooks = 25   // 5 s
	calm        = 0.10 // of a processor
)

// settle waits until the broker has done what the run before has left to it, such as deleting topics, for 5 s at most.
func (s *stand) settle(ctx context.Context) error {
	ticker := time.NewTicker(settleEvery)
	defer ticker.Stop()
	before, err := procs.CPU(s.kafka.Pid(0))
	if err != nil {
		return err
	}
	for range settleLooks {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		now, err := procs.CPU(s.kafka.Pid(0))
		if err != nil {
			return err
		}
		if (now - before).Seconds() < calm*settleEvery.Seconds() {
			return nil
		}
		before = now
	}
	return nil
}
