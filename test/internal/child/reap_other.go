//go:build !linux

package child

// reap waits for the end of the process and returns with p.mu held. Between the reaping and the lock a signal could
// reach a pid that is used again; Linux has a way to close that gap.
func (p *Process) reap() error {
	err := p.cmd.Wait()
	p.mu.Lock()
	return err
}
