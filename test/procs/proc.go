// Package procs builds and runs programs of this module as a user would, and observes them from outside: their output
// line by line, exit code, memory, processor time and HTTP endpoints. It promises that no program outlives the one that
// started it. It returns errors and knows nothing of testing.
package procs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/outbox-relay/outbox-relay/test/internal/child"
)

// Config says what to run.
type Config struct {
	Path string   // of the program
	Args []string // without the program's name
	Env  []string // NAME=value, added to ours; a later value wins
	Dir  string   // defaults to the current one
}

// Proc is a program that was started. Its methods may be called by several goroutines.
type Proc struct {
	name   string
	child  *child.Process
	reaper *child.Reaper
	output *output
	reads  sync.WaitGroup
}

// Start runs a program. The caller must call Close.
func Start(config Config) (*Proc, error) {
	p := &Proc{name: filepath.Base(config.Path), output: newOutput(2)}
	cmd := exec.Command(config.Path, config.Args...)
	cmd.Dir = config.Dir
	cmd.Env = append(os.Environ(), config.Env...)
	var err error
	if p.reaper, err = child.NewReaper("KILL"); err != nil {
		return nil, err
	}
	if err := p.start(cmd); err != nil {
		return nil, errors.Join(err, p.reaper.Close())
	}
	return p, nil
}

// start connects the output to pipes of our own: those of os/exec are closed at the end of the process, together
// with lines that were not read yet.
func (p *Proc) start(cmd *exec.Cmd) error {
	stdout, stdoutEnd, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe for %s: %w", p.name, err)
	}
	defer stdoutEnd.Close() // the program has its own descriptor
	stderr, stderrEnd, err := os.Pipe()
	if err != nil {
		return errors.Join(fmt.Errorf("make a pipe for %s: %w", p.name, err), stdout.Close())
	}
	defer stderrEnd.Close()
	cmd.Stdout, cmd.Stderr = stdoutEnd, stderrEnd
	if p.child, err = child.Start(p.name, cmd); err != nil {
		return errors.Join(err, stdout.Close(), stderr.Close())
	}
	p.follow(stdout, stderr)
	if err := p.reaper.Watch(p.child); err != nil {
		err = errors.Join(err, p.child.Kill())
		p.reads.Wait()
		return err
	}
	return nil
}

func (p *Proc) follow(stdout, stderr io.ReadCloser) {
	p.reads.Go(func() { p.output.read(stdout, false) })
	p.reads.Go(func() { p.output.read(stderr, true) })
}

// Pid is the process id.
func (p *Proc) Pid() int { return p.child.Pid() }

// Done is closed when the program has ended; its last lines may not have been read yet.
func (p *Proc) Done() <-chan struct{} { return p.child.Done() }

// Running reports whether the program has not ended yet.
func (p *Proc) Running() bool { return p.child.Running() }

// Signal sends sig to the program. It returns os.ErrProcessDone when it has ended.
func (p *Proc) Signal(sig syscall.Signal) error { return p.child.Signal(sig) }

// Kill ends the program with SIGKILL and waits until it is gone. Killing one that has ended is no error.
func (p *Proc) Kill() error { return p.child.Kill() }

// Wait waits for the end of the program and of its output, and returns the exit code, -1 when a signal ended it. The
// error is that of ctx; a non-zero exit code is no error.
func (p *Proc) Wait(ctx context.Context) (int, error) {
	code, err := p.child.Wait(ctx)
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, p.Tail(20))
	}
	p.reads.Wait()
	return code, nil
}

// Stop sends SIGTERM and waits like Wait.
func (p *Proc) Stop(ctx context.Context) (int, error) {
	if err := p.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, err
	}
	return p.Wait(ctx)
}

// Mark is the number of the next line, to wait for lines from now on.
func (p *Proc) Mark() int {
	p.output.mu.Lock()
	defer p.output.mu.Unlock()
	return p.output.next
}

// WaitLog returns the first line from number mark on that match accepts; a mark of 0 includes all lines. It errs when
// ctx ends or the program closes its output first.
func (p *Proc) WaitLog(ctx context.Context, mark int, match Match) (Line, error) {
	line, err := p.output.wait(ctx, mark, match)
	if err != nil {
		return line, fmt.Errorf("wait for a line of %s: %w; its last lines:\n%s", p.name, err, p.Tail(20))
	}
	return line, nil
}

// Lines returns all lines so far, without the oldest ones after 50,000.
func (p *Proc) Lines() []Line {
	lines, _, _ := p.output.from(0)
	return lines
}

// Stdout is what was written to the standard output so far.
func (p *Proc) Stdout() string { return p.text(false) }

// Stderr is what was written to the standard error output so far.
func (p *Proc) Stderr() string { return p.text(true) }

func (p *Proc) text(stderr bool) string {
	var text []byte
	for _, line := range p.Lines() {
		if line.Stderr == stderr {
			text = append(append(text, line.Text...), '\n')
		}
	}
	return string(text)
}

// Tail returns the last n lines as one text.
func (p *Proc) Tail(n int) string { return p.output.tail(n) }

// Close kills the program if it still runs and waits for all that belongs to it. Closing twice is no error.
func (p *Proc) Close() error {
	err := p.child.Kill()
	p.reads.Wait()
	return errors.Join(err, p.reaper.Close())
}
