package pgserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// removeSharedMemory frees the small System V segment that guards the data directory, which a killed server leaves
// behind for the next one on the same data. After an orderly stop there is no postmaster.pid and nothing to do.
func (s *Server) removeSharedMemory() error {
	text, err := os.ReadFile(filepath.Join(s.DataDir(), "postmaster.pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for shared memory of PostgreSQL: %w", err)
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < 7 {
		return nil // it was killed before it had any
	}
	var key, id int // line 7, since version 10
	if _, err := fmt.Sscan(lines[6], &key, &id); err != nil {
		return fmt.Errorf("read the shared memory's id from postmaster.pid: %w", err)
	}
	_, err = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	if err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.EIDRM) { // both: it is gone
		return fmt.Errorf("remove shared memory segment %d of PostgreSQL: %w", id, err)
	}
	return nil
}
