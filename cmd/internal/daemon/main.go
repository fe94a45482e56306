package daemon

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
)

// Process is what a program gets from the system it runs on; a test gives it something else.
type Process struct {
	Args   []string // without the program's name
	Env    []string // as os.Environ returns it
	Stdout io.Writer
	Stderr io.Writer
	Now    func() time.Time // nil for time.Now
}

// Run is a whole program but for its process. It returns nil when it did what it was asked to, which includes
// stopping in order when ctx is cancelled; context.Cause(ctx) is then a *SignalError.
type Run func(ctx context.Context, p Process) error

// SignalError is the cause of the cancellation after a signal.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return "stopped by signal: " + e.Signal.String() }

// Main runs a program in this process and exits with its code. It does not return.
func Main(name string, run Run) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	p := Process{Args: os.Args[1:], Env: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr}
	os.Exit(Execute(context.Background(), name, run, p, signals))
}

// Execute is Main without the process: it returns the exit code. The first signal cancels the context that run
// has, the second makes Execute return 1 at once, whatever run is doing; within a second after the first, one of the
// same kind is its echo and does not count. An error is printed to p.Stderr behind the program's name, unless run has
// Reported it.
//
// A panic in run's own goroutine is printed with its stack and gives 1. One in another goroutine ends the process
// with 2, which is how Go does it; only a broken invariant of ours may panic.
func Execute(ctx context.Context, name string, run Run, p Process, signals <-chan os.Signal) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1) // room for the result when nobody waits for it any more
	go func() { done <- protect(ctx, run, p) }()

	signs := patience{now: p.Now}
	if signs.now == nil {
		signs.now = time.Now
	}
	for {
		select {
		case err := <-done:
			if err != nil && !isReported(err) {
				fmt.Fprintf(p.Stderr, "%s: %v\n", name, err)
			}
			return Code(err)
		case s := <-signals:
			stop, leave := signs.take(s)
			if leave {
				fmt.Fprintf(p.Stderr, "%s: second signal (%v), leaving at once\n", name, s)
				return Restart
			}
			if stop {
				cancel(&SignalError{s})
			}
		}
	}
}

// protect turns a panic of run into an error.
func protect(ctx context.Context, run Run, p Process) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return run(ctx, p)
}
