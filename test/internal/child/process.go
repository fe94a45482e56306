// Package child runs server processes so that none outlives the program that started it: each is the leader of its
// own process group (a Ctrl-C on the terminal does not reach it before its owner stops it in order), one goroutine
// waits for it, and a Reaper ends it when the owner dies without a chance to clean up.
package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// Process is a started command. All methods may be called by several goroutines.
type Process struct {
	cmd  *exec.Cmd
	name string
	done chan struct{}

	mu  sync.Mutex // held while signaling, so that a signal never reaches a pid that was reaped and used again
	err error      // set before done is closed
}

// Start starts cmd as the leader of a new process group. name is used in errors only. The caller sets Stdout and
// Stderr; with an *os.File no copying goroutine is needed and Done closes as soon as the process itself is gone.
func Start(name string, cmd *exec.Cmd) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p := &Process{cmd: cmd, name: name, done: make(chan struct{})}
	go p.wait()
	return p, nil
}

// wait collects the exit status and tells everybody.
func (p *Process) wait() {
	err := p.reap() // returns with the lock held
	defer p.mu.Unlock()
	p.err = err
	close(p.done)
}

// Pid is the process id, also after the process has ended.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended and its exit status is known.
func (p *Process) Done() <-chan struct{} { return p.done }

// Running reports whether the process has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Wait waits for the end of the process and returns its exit code, -1 when a signal ended it. The error is that of
// ctx, or a failure to learn the status; a non-zero exit code is no error.
func (p *Process) Wait(ctx context.Context) (int, error) {
	select {
	case <-p.done:
	case <-ctx.Done():
		return 0, fmt.Errorf("wait for the end of %s (pid %d): %w", p.name, p.Pid(), context.Cause(ctx))
	}
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) {
		return 0, fmt.Errorf("wait for the end of %s (pid %d): %w", p.name, p.Pid(), p.err)
	}
	return p.cmd.ProcessState.ExitCode(), nil
}

// State describes how the process ended ("exit status 1", "signal: killed"); it is empty while it runs.
func (p *Process) State() string {
	if p.Running() {
		return ""
	}
	return p.cmd.ProcessState.String()
}

// Usage is what the ended process consumed; nil while it runs.
func (p *Process) Usage() *syscall.Rusage {
	if p.Running() {
		return nil
	}
	usage, _ := p.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return usage
}

// Signal sends sig to the process alone. It returns os.ErrProcessDone when the process has ended.
func (p *Process) Signal(sig syscall.Signal) error { return p.kill(p.Pid(), sig) }

// SignalGroup sends sig to every process of the group. It returns os.ErrProcessDone when the leader has ended.
func (p *Process) SignalGroup(sig syscall.Signal) error { return p.kill(-p.Pid(), sig) }

func (p *Process) kill(pid int, sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.Running() {
		return fmt.Errorf("signal %s: %w", p.name, os.ErrProcessDone)
	}
	if err := syscall.Kill(pid, sig); err != nil {
		return fmt.Errorf("send %v to %s (pid %d): %w", sig, p.name, p.Pid(), err)
	}
	return nil
}

// Stop sends sig and waits for the end of the process; when ctx ends first it kills the whole group, waits for
// that, and returns the error of ctx. Stopping a process that has ended is no error.
func (p *Process) Stop(ctx context.Context, sig syscall.Signal) error {
	if err := p.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		cause := context.Cause(ctx)
		if err := p.Kill(); err != nil {
			return err
		}
		return fmt.Errorf("%s (pid %d) did not stop on %v and was killed: %w", p.name, p.Pid(), sig, cause)
	}
}

// Kill ends the whole group with SIGKILL and waits until the process is gone, which the kernel guarantees.
func (p *Process) Kill() error {
	if err := p.SignalGroup(syscall.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.done
	return nil
}
