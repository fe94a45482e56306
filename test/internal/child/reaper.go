package child

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

//go:embed reaper.sh
var reaperScript string

// Reaper is a small shell process that outlives its owner by a moment: when the owner ends in whatever way (panic,
// os.Exit, SIGKILL, the test timeout) the pipe between them closes, and the reaper ends the watched processes and
// removes their folders. A pipe is used and not the parent death signal because that one fires when the starting
// thread ends, which in Go is not the end of the program, and because it can not remove folders.
type Reaper struct {
	proc *Process

	mu   sync.Mutex
	pipe io.WriteCloser
	pids map[int]bool
}

// NewReaper starts a reaper that will send first (a name as kill knows it: QUIT, KILL) to the watched processes, five
// seconds later SIGKILL to those still there and to their children, and at last remove dirs. Close must be called.
func NewReaper(first string, dirs ...string) (*Reaper, error) {
	args := append([]string{"-c", reaperScript, "reaper", first}, dirs...)
	cmd := exec.Command("/bin/sh", args...)
	cmd.Dir = "/"
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make the pipe of the reaper: %w", err)
	}
	// Ignored signals stay ignored over exec, and a group of its own keeps the terminal's signals away.
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	proc, err := Start("reaper", cmd)
	if err != nil {
		return nil, errors.Join(err, pipe.Close())
	}
	return &Reaper{proc: proc, pipe: pipe, pids: map[int]bool{}}, nil
}

// Watch adds p to what ends with the owner. Between the start of p and this call p is unguarded: call it at once.
func (r *Reaper) Watch(p *Process) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pids[p.Pid()] = true
	return r.send()
}

// Forget removes p, to be called when p has ended, so that the pid can be used again by others.
func (r *Reaper) Forget(p *Process) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pids, p.Pid())
	return r.send()
}

// send replaces the list on the other side; one line below PIPE_BUF is written whole or not at all.
func (r *Reaper) send() error {
	list := make([]string, 0, len(r.pids))
	for pid := range r.pids {
		list = append(list, strconv.Itoa(pid))
	}
	if _, err := io.WriteString(r.pipe, strings.Join(list, " ")+"\n"); err != nil {
		return fmt.Errorf("tell the reaper which processes to watch: %w", err)
	}
	return nil
}

// Close makes the reaper do its work now, on whatever is still watched and still there, and waits for its end.
// Closing twice is no error.
func (r *Reaper) Close() error {
	r.mu.Lock()
	err := r.pipe.Close()
	r.mu.Unlock()
	<-r.proc.Done()
	if err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("close the pipe of the reaper: %w", err)
	}
	return nil
}
