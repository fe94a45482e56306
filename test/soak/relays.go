package main

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// relayKinds are the faults of the relay's own process.
func relayKinds() []*kind {
	return []*kind{
		{name: "relay-kill", uses: relays, weight: 10, do: killRelay},
		{name: "relay-freeze", uses: relays, weight: 4, gentle: true, do: freezeRelay},
		{name: "relay-restart", uses: relays, weight: 5, gentle: true, do: restartRelay},
		{name: "relay-takeover", uses: relays, weight: 4, do: takeOver},
	}
}

// killRelay ends the relay with SIGKILL, several times; some of the kills come before it streams.
func killRelay(ctx context.Context, r *round, f fault) error {
	random := f.random()
	times := 1 + random.IntN(4)
	for range times {
		if err := r.relay.kill(); err != nil {
			return err
		}
		if err := r.relay.start(); err != nil {
			return err
		}
		pause(ctx, time.Duration(random.Int64N(int64(2*f.lasts)/int64(times))))
	}
	return nil
}

func freezeRelay(ctx context.Context, r *round, f fault) error {
	if err := r.relay.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	pause(ctx, f.lasts)
	return r.relay.signal(syscall.SIGCONT)
}

// restartRelay is a deploy: SIGTERM, then a new process. The exit code may be 1 if other faults keep the relay from
// draining.
func restartRelay(ctx context.Context, r *round, f fault) error {
	code, err := r.relay.stop(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	if code != 0 && code != 1 || code == 1 && len(r.plan.faults) == 1 {
		r.fail("exit code %d after SIGTERM in the middle of the load", code)
	}
	pause(ctx, f.lasts/4)
	return r.relay.start()
}

// takeOver starts a second relay, which waits for the slot, and kills the first.
func takeOver(ctx context.Context, r *round, f fault) error {
	spare, err := r.launch()
	if err != nil {
		return fmt.Errorf("start a second relay: %w", err)
	}
	pause(ctx, f.lasts)
	return r.relay.replace(spare)
}
