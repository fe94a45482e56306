package kafkaserver

import (
	"context"
	"errors"
	"fmt"
	"syscall"
)

// ErrStopped is returned by what needs a running broker.
var ErrStopped = errors.New("the Kafka broker is not running")

// Stop stops broker i in order: it hands its leaderships over and syncs its data. When ctx ends first, it is killed and
// the error of ctx is returned. Stopping a stopped broker is no error.
func (c *Cluster) Stop(ctx context.Context, i int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.procs[i] == nil {
		return nil
	}
	return c.stop(ctx, i, syscall.SIGTERM)
}

// Kill ends broker i with SIGKILL.
func (c *Cluster) Kill(i int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.procs[i] == nil {
		return fmt.Errorf("kill broker %d: %w", i, ErrStopped)
	}
	return c.stop(context.Background(), i, syscall.SIGKILL)
}

// stop sends sig to a broker that runs, waits for its end and lets go of it. c.mu is held.
func (c *Cluster) stop(ctx context.Context, i int, sig syscall.Signal) error {
	proc := c.procs[i]
	c.procs[i] = nil
	return errors.Join(proc.Stop(ctx, sig), c.reaper.Forget(proc))
}

// StartBroker starts a stopped or killed broker again with its port and data, and waits until the cluster lists it.
// Starting a running one is an error.
func (c *Cluster) StartBroker(ctx context.Context, i int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.procs[i] != nil && c.procs[i].Running() {
		return fmt.Errorf("broker %d runs already (pid %d)", i, c.procs[i].Pid())
	}
	if err := c.spawn(i); err != nil {
		return err
	}
	if err := c.awaitReady(ctx, i, 1); err != nil {
		return errors.Join(err, c.stop(context.Background(), i, syscall.SIGKILL))
	}
	return nil
}

// Pause stops the process of broker i (SIGSTOP): connections stay open and nothing is answered, as on a machine that
// hangs. Resume ends it. A paused cluster can be closed.
func (c *Cluster) Pause(i int) error { return c.signal(i, syscall.SIGSTOP) }

// Resume lets a paused broker go on.
func (c *Cluster) Resume(i int) error { return c.signal(i, syscall.SIGCONT) }

func (c *Cluster) signal(i int, sig syscall.Signal) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.procs[i] == nil {
		return fmt.Errorf("signal broker %d: %w", i, ErrStopped)
	}
	return c.procs[i].SignalGroup(sig)
}

// Running reports whether the process of broker i is there; a paused one is.
func (c *Cluster) Running(i int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.procs[i] != nil && c.procs[i].Running()
}

// Pid is the process id of broker i, to read its memory and processor use; 0 when it does not run.
func (c *Cluster) Pid(i int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.procs[i] == nil {
		return 0
	}
	return c.procs[i].Pid()
}
