package child

import (
	"bytes"
	"fmt"
	"os"
)

// tailWindow is how much of the end of a log is looked at; servers' lines are far below 1 kB.
const tailWindow = 256 << 10

// Tail returns up to the last n lines of the file at path. A file that can not be read gives a line saying so: the
// text goes into error messages, where a second error would only hide the first.
func Tail(path string, n int) string {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Sprintf("(no log: %v)", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Sprintf("(no log: %v)", err)
	}
	size := min(info.Size(), tailWindow)
	buf := make([]byte, size)
	if _, err := f.ReadAt(buf, info.Size()-size); err != nil {
		return fmt.Sprintf("(no log: %v)", err)
	}
	lines := bytes.Split(bytes.TrimRight(buf, "\n"), []byte("\n"))
	lines = lines[max(0, len(lines)-n):]
	return string(bytes.Join(lines, []byte("\n")))
}
