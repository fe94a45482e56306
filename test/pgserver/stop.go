package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/child"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
)

// Mode is how PostgreSQL is told to stop; the names are those of pg_ctl.
type Mode int

const (
	// Smart waits until all clients have gone.
	Smart Mode = iota
	// Fast ends the clients' sessions, then waits until walsenders have sent all WAL and writes a checkpoint.
	Fast
	// Immediate aborts everything; the next start recovers as after a crash.
	Immediate
)

func (m Mode) signal() syscall.Signal {
	return [...]syscall.Signal{Smart: syscall.SIGTERM, Fast: syscall.SIGINT, Immediate: syscall.SIGQUIT}[m]
}

const (
	closeTimeout  = 10 * time.Second // for a fast shutdown when the data are not needed any more
	orphanTimeout = 20 * time.Second // for backends to notice that the postmaster was killed
)

// Stop stops the server and keeps its data; Start brings it back. When ctx ends before the server has stopped, the
// server is killed and the error of ctx is returned. Stopping a stopped server is no error.
func (s *Server) Stop(ctx context.Context, mode Mode) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stop(ctx, mode)
}

func (s *Server) stop(ctx context.Context, mode Mode) error {
	proc := s.proc
	if proc == nil {
		return nil
	}
	children := backends(proc)
	s.proc = nil
	err := proc.Stop(ctx, mode.signal())
	return errors.Join(err, awaitOrphans(children), s.reaper.Forget(proc))
}

// Restart stops the server and starts it again with the same port and data.
func (s *Server) Restart(ctx context.Context, mode Mode) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.stop(ctx, mode); err != nil {
		return err
	}
	return s.launch(ctx)
}

// Kill ends the postmaster with SIGKILL, as the kernel does when memory runs out, and waits until its children have
// noticed and gone, without which the server could not start again.
func (s *Server) Kill() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	proc := s.proc
	if proc == nil {
		return ErrStopped
	}
	children := backends(proc)
	return errors.Join(s.end(proc), awaitOrphans(children))
}

// backends lists the children of the postmaster. Without /proc it is empty, which only makes a start right after Kill
// less certain.
func backends(proc *child.Process) []int {
	children, err := child.Children(proc.Pid())
	if err != nil {
		return nil
	}
	return children
}

// awaitOrphans waits until processes that lost their postmaster are gone, and kills them when they take too long. If the
// server was paused they have to be woken up to notice.
func awaitOrphans(pids []int) error {
	if err := signalEach(pids, syscall.SIGCONT); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), orphanTimeout)
	defer cancel()
	for _, pid := range pids {
		err := poll.Until(ctx, 5*time.Millisecond, func(context.Context) error {
			if child.Alive(pid) {
				return fmt.Errorf("process %d of PostgreSQL still runs", pid)
			}
			return nil
		})
		if err != nil {
			return signalEach(pids, syscall.SIGKILL)
		}
	}
	return nil
}

// signalEach sends sig to those of the processes that are still there.
func signalEach(pids []int, sig syscall.Signal) error {
	for _, pid := range pids {
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("send %v to process %d of PostgreSQL: %w", sig, pid, err)
		}
	}
	return nil
}

// Pause stops every process of the server (SIGSTOP): connections stay open and nothing is answered, as on a machine
// that hangs. Resume ends it. A paused server can be closed.
func (s *Server) Pause() error { return s.signalAll(syscall.SIGSTOP) }

// Resume lets a paused server go on.
func (s *Server) Resume() error { return s.signalAll(syscall.SIGCONT) }

// signalAll signals the postmaster and its children, which each have a process group of their own. The postmaster is
// stopped first, so that no child is added meanwhile.
func (s *Server) signalAll(sig syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		return ErrStopped
	}
	if err := s.proc.Signal(sig); err != nil {
		return err
	}
	children, err := child.Children(s.proc.Pid())
	if err != nil {
		return err
	}
	return signalEach(children, sig)
}

// Close stops the server, by force if it does not want to, and removes its files. Closing twice is no error.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	if s.proc != nil && s.proc.Running() {
		errs = append(errs, s.stopForGood())
	}
	if s.dir != "" {
		errs = append(errs, s.removeSharedMemory())
	}
	if s.reaper != nil {
		errs = append(errs, s.reaper.Close())
	}
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}

// stopForGood tries the fast shutdown first, which frees everything, then the immediate one. A walsender whose client
// does not read can hold up the fast one for ever.
func (s *Server) stopForGood() error {
	if err := signalEach(append(backends(s.proc), s.proc.Pid()), syscall.SIGCONT); err != nil {
		return err
	}
	if err := s.proc.Signal(Fast.signal()); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	timeout := time.NewTimer(closeTimeout)
	defer timeout.Stop()
	select {
	case <-s.proc.Done():
	case <-timeout.C:
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	return s.stop(ctx, Immediate)
}
