// Package observe looks at what contenders do from outside: what a process has used, what topics hold, when records
// arrive. It is made to disturb little, because it shares the processors with what it observes.
package observe

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/outbox-relay/outbox-relay/test/procs"
)

// Usage is what a process has used, besides processor time.
type Usage struct {
	PeakRSS  int64 // bytes, the kernel's VmHWM
	Switches int64 // voluntary context switches of all threads that live
}

// Read reads the usage of a running process (Linux only).
func Read(pid int) (Usage, error) {
	peak, err := procs.Memory(pid, "VmHWM")
	if err != nil {
		return Usage{}, err
	}
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid)) // the pattern is well-formed
	u := Usage{PeakRSS: peak}
	for _, file := range files {
		status, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the thread has ended meanwhile
		}
		if err != nil {
			return Usage{}, fmt.Errorf("read the context switches of pid %d: %w", pid, err)
		}
		n, err := switches(status)
		if err != nil {
			return Usage{}, fmt.Errorf("read the context switches of pid %d: %w", pid, err)
		}
		u.Switches += n
	}
	return u, nil
}

// switches finds the voluntary context switches in the status file of a thread.
func switches(status []byte) (int64, error) {
	const field = "voluntary_ctxt_switches:"
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte(field)); ok {
			return strconv.ParseInt(string(bytes.TrimSpace(rest)), 10, 64)
		}
	}
	return 0, fmt.Errorf("no field %s", field)
}

// lookEvery is how often a process that ends by itself is looked at: what it used in its last moments is lost.
const lookEvery = 20 * time.Millisecond

// UntilEnd waits for the end of a process and returns the last that was seen of it.
func UntilEnd(p *procs.Proc) Usage {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	var last Usage
	for {
		if u, err := Read(p.Pid()); err == nil { // an error means that it has just ended
			last = u
		}
		select {
		case <-ticker.C:
		case <-p.Done():
			return last
		}
	}
}
