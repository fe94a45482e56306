package procs

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// ticksPerSecond is USER_HZ, the unit of times in /proc: 100 on every Linux architecture that Go supports.
const ticksPerSecond = 100

// RSS is the resident memory of the running program in bytes (Linux only).
func (p *Proc) RSS() (int64, error) { return Memory(p.Pid(), "VmRSS") }

// PeakRSS is the largest resident memory so far in bytes (Linux only). It must be asked for while the program runs:
// what the kernel tells after the end (ru_maxrss) counts the memory of the parent too.
func (p *Proc) PeakRSS() (int64, error) { return Memory(p.Pid(), "VmHWM") }

// CPU is the processor time, user and system, that the program has used; within 20 ms while it runs, exact afterwards.
func (p *Proc) CPU() (time.Duration, error) {
	if usage := p.child.Usage(); usage != nil {
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
	}
	return CPU(p.Pid())
}

// Memory reads a field like VmRSS of /proc/PID/status in bytes, for any process.
func Memory(pid int, field string) (int64, error) {
	path := fmt.Sprintf("/proc/%d/status", pid)
	status, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("read the memory use of pid %d: %w", pid, err)
	}
	for line := range bytes.Lines(status) {
		fields := bytes.Fields(line)
		if len(fields) != 3 || string(fields[0]) != field+":" {
			continue
		}
		kilobytes, err := strconv.ParseInt(string(fields[1]), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read %s of %s: %w", field, path, err)
		}
		return kilobytes << 10, nil
	}
	return 0, fmt.Errorf("no %s in %s: the process has ended", field, path)
}

// CPU reads the processor time that a running process has used, for any process.
func CPU(pid int) (time.Duration, error) {
	path := fmt.Sprintf("/proc/%d/stat", pid)
	stat, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("read the processor time of pid %d: %w", pid, err)
	}
	// After the name, which may contain anything and ends with the last parenthesis, come the fields from number 3 on;
	// utime is number 14, stime 15 (proc_pid_stat(5)).
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("%s has only %d fields", path, len(fields))
	}
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", path, err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond, nil
}
