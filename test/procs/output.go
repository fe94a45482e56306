package procs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

const (
	keepLines   = 50_000   // per program; a healthy relay writes one line a minute
	longestLine = 64 << 10 // longer ones come in pieces
)

// Line is one line that a program has written.
type Line struct {
	N      int    // counts from 0 over both streams in the order of arrival
	Stderr bool   // where it was written
	Text   string // without the line break
}

// output collects lines and wakes up whoever waits for one.
type output struct {
	mu      sync.Mutex
	lines   []Line
	next    int           // number of the next line; larger than len(lines) once old ones are dropped
	changed chan struct{} // closed and replaced when there is news
	open    int           // streams that may still bring lines
}

func newOutput(streams int) *output {
	return &output{changed: make(chan struct{}), open: streams}
}

// read takes lines from r until its end.
func (o *output) read(r io.ReadCloser, stderr bool) {
	defer r.Close()
	buffered := bufio.NewReaderSize(r, longestLine)
	for {
		text, _, err := buffered.ReadLine()
		if err != nil {
			break
		}
		o.add(Line{Stderr: stderr, Text: string(text)})
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open--
	o.wake()
}

func (o *output) add(line Line) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.lines) == keepLines {
		o.lines = append(o.lines[:0:0], o.lines[keepLines/2:]...)
	}
	line.N = o.next
	o.next++
	o.lines = append(o.lines, line)
	o.wake()
}

func (o *output) wake() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// from returns the kept lines with numbers of at least n, and what tells of more.
func (o *output) from(n int) (lines []Line, open bool, changed <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := o.next - len(o.lines)
	skip := min(max(0, n-first), len(o.lines))
	return append([]Line(nil), o.lines[skip:]...), o.open > 0, o.changed
}

// errEnded is why a line can not come any more.
var errEnded = errors.New("the program has closed its output")

// wait returns the first line with a number of at least n that match accepts.
func (o *output) wait(ctx context.Context, n int, match Match) (Line, error) {
	for {
		lines, open, changed := o.from(n)
		for _, line := range lines {
			if match(line.Text) {
				return line, nil
			}
			n = line.N + 1
		}
		if !open {
			return Line{}, errEnded
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Line{}, context.Cause(ctx)
		}
	}
}

// tail is the last n lines as one text.
func (o *output) tail(n int) string {
	lines, _, _ := o.from(0)
	var b strings.Builder
	for _, line := range lines[max(0, len(lines)-n):] {
		fmt.Fprintln(&b, line.Text)
	}
	return b.String()
}
