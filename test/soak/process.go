package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/outbox-relay/outbox-relay/test/procs"
)

const (
	startTimeout = 30 * time.Second // from the start of a process to its HTTP endpoint, on a busy machine
	stopTimeout  = 40 * time.Second // above the default of shutdown.timeout
	memoryLimit  = 64 << 20         // bytes that a relay may use
)

// relay is the relay of a round: one process after another. Faults and the round itself share it.
type relay struct {
	launch func() (*procs.Proc, error)

	mu   sync.Mutex
	proc *procs.Proc
	past []*procs.Proc // processes that were ended, for their logs
	peak int64         // largest memory of all processes, in bytes
}

// start launches the next process.
func (r *relay) start() error {
	proc, err := r.launch()
	if err != nil {
		return fmt.Errorf("start the relay: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.proc = proc
	return nil
}

// current is the process that should run.
func (r *relay) current() *procs.Proc {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.proc
}

var errEnded = errors.New("the relay has ended by itself")

// retire notes what is to be known of a process before its end. r.mu is held. A process that has ended already did so
// by itself.
func (r *relay) retire() (*procs.Proc, error) {
	proc := r.proc
	r.past = append(r.past, proc)
	if !proc.Running() {
		return proc, fmt.Errorf("%w; its last lines:\n%s", errEnded, proc.Tail(10))
	}
	if peak, err := proc.PeakRSS(); err == nil { // it may just be ending
		r.peak = max(r.peak, peak)
	}
	return proc, nil
}

func (r *relay) kill() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	proc, err := r.retire()
	return errors.Join(err, proc.Kill())
}

// replace kills the process and makes another one the relay.
func (r *relay) replace(next *procs.Proc) error {
	err := r.kill()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.proc = next
	return err
}

// stop sends SIGTERM and returns the exit code.
func (r *relay) stop(ctx context.Context) (int, error) {
	r.mu.Lock()
	proc, err := r.retire()
	r.mu.Unlock()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	return proc.Stop(ctx)
}

func (r *relay) signal(sig syscall.Signal) error {
	err := r.current().Signal(sig)
	if errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%w; its last lines:\n%s", errEnded, r.current().Tail(10))
	}
	return err
}

// addr is where the current process answers HTTP.
func (r *relay) addr(ctx context.Context) (string, error) {
	proc := r.current()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	line, err := proc.WaitLog(ctx, 0, procs.Field("message", "outbox-relay started"))
	if err != nil {
		return "", err
	}
	addr, ok := procs.LineField(line.Text, "listen")
	if !ok {
		return "", fmt.Errorf("no address in the first line: %s", line.Text)
	}
	return addr, nil
}

// all are all processes so far.
func (r *relay) all() []*procs.Proc {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := append([]*procs.Proc(nil), r.past...)
	if r.proc != nil && (len(all) == 0 || all[len(all)-1] != r.proc) {
		all = append(all, r.proc)
	}
	return all
}

// memory is the most that a process has used that was ended, in bytes.
func (r *relay) memory() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.peak
}

// close ends all processes.
func (r *relay) close() error {
	var errs []error
	for _, proc := range r.all() {
		errs = append(errs, proc.Close())
	}
	return errors.Join(errs...)
}
