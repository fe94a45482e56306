package child

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// reap waits for the end of the process and returns with p.mu held. It first waits without reaping, because a pid
// stays ours until it is reaped: with the lock held during the reaping, a sender of a signal either sees a living (or
// zombie) child or knows that it is gone.
func (p *Process) reap() error {
	err := awaitExit(p.Pid())
	p.mu.Lock()
	return errors.Join(err, p.cmd.Wait())
}

// awaitExit blocks until the child pid has ended and leaves it unreaped.
func awaitExit(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("waitid for pid %d: %w", pid, err)
		}
		return nil
	}
}
