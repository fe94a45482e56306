package child

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Children returns the ids of the processes whose parent is pid, dead ones not yet reaped excepted.
func Children(pid int) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list the children of pid %d: %w", pid, err)
	}
	var children []int
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has ended meanwhile
		}
		if state, parent := parseStat(stat); parent == pid && state != 'Z' && state != 'X' {
			children = append(children, id)
		}
	}
	return children, nil
}

// Alive reports whether a process with this id runs. A dead one that its parent has not collected, as happens with
// orphans in containers whose first process collects none, is not alive.
func Alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	state, _ := parseStat(stat)
	return state != 'Z' && state != 'X'
}

// parseStat reads state and parent from /proc/PID/stat: "PID (name) S PPID ...". The name may contain anything, so
// the fields are counted from its last parenthesis.
func parseStat(stat []byte) (state byte, parent int) {
	i := bytes.LastIndexByte(stat, ')')
	if i < 0 {
		return 0, 0
	}
	fields := bytes.Fields(stat[i+1:])
	if len(fields) < 2 {
		return 0, 0
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0, 0
	}
	return fields[0][0], parent
}
