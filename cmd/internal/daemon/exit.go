// Package daemon runs a program as supervisors expect it: it stops in order at the first signal, at once at the
// second, and its exit code says whether starting it again may help. It never exits with 0 after a failure.
package daemon

import "errors"

// The exit codes of all our daemons. A supervisor should restart after Restart and after a signal, and leave the
// program down after Config and Human (in systemd: RestartPreventExitStatus=2 3).
const (
	OK      = 0 // stopped because it was told to, everything in order
	Restart = 1 // starting it again may help
	Config  = 2 // the configuration cannot work as it is
	Human   = 3 // something outside must be mended by a person first, for instance a lost slot
)

// ExitError gives an error the exit code that the program ends with.
type ExitError struct {
	Code int // never OK
	Err  error
}

func (e *ExitError) Error() string { return e.Err.Error() }

// Unwrap returns the error without its code.
func (e *ExitError) Unwrap() error { return e.Err }

// ExitCode returns the code.
func (e *ExitError) ExitCode() int { return e.Code }

// Configuration marks an error as one of the configuration, exit code 2. It returns nil for nil.
func Configuration(err error) error { return withCode(Config, err) }

// NeedsHuman marks an error as one that no restart will mend, exit code 3. It returns nil for nil.
func NeedsHuman(err error) error { return withCode(Human, err) }

func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &ExitError{Code: code, Err: err}
}

// Code returns the exit code for what a run returned: 0 for nil only. Any error of the chain with an ExitCode
// method decides, the outermost first; of errors joined together the gravest does, because a restart cannot help
// while one of them stands. All other errors give 1, a cancelled context too: a run that ended in order after a
// signal returns nil.
func Code(err error) int {
	if err == nil {
		return OK
	}
	return max(Restart, gravest(err))
}

// gravest walks the tree of errors; 0 means that no code was found.
func gravest(err error) int {
	switch e := err.(type) {
	case interface{ ExitCode() int }:
		return e.ExitCode()
	case interface{ Unwrap() []error }:
		code := 0
		for _, child := range e.Unwrap() {
			code = max(code, gravest(child))
		}
		return code
	case interface{ Unwrap() error }:
		return gravest(e.Unwrap())
	default:
		return 0
	}
}

// reported is an error that was already shown to the operator.
type reported struct{ error }

func (r reported) Unwrap() error { return r.error }

// Reported marks an error as logged by the run itself, so that Main only turns it into the exit code. It returns
// nil for nil.
func Reported(err error) error {
	if err == nil {
		return nil
	}
	return reported{err}
}

func isReported(err error) bool {
	var r reported
	return errors.As(err, &r)
}
