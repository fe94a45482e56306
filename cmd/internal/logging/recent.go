package logging

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// recentLines is how many lines a Recent keeps.
const recentLines = 20

// Line is a line of the log as a Recent keeps it.
type Line struct {
	Time    time.Time `json:"time"`
	Level   string    `json:"level"` // warn or error
	Message string    `json:"message"`
	Error   string    `json:"error,omitempty"`
	Fields  string    `json:"fields,omitempty"` // the others, as name=value in the order of their names
}

// Recent keeps the newest warnings and errors of a log, for a page that shows them. It is safe for concurrent use; the
// zero value is ready.
type Recent struct {
	mu    sync.Mutex
	lines []Line // oldest first
	total int
}

// Lines returns what is kept, newest first, and how many lines there have been since the start.
func (r *Recent) Lines() (lines []Line, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines = slices.Clone(r.lines)
	slices.Reverse(lines)
	return lines, r.total
}

// Write implements io.Writer for lines without a level, which are not kept.
func (r *Recent) Write(p []byte) (int, error) { return len(p), nil }

// WriteLevel implements zerolog.LevelWriter. Lines below a warning cost one comparison.
func (r *Recent) WriteLevel(level zerolog.Level, p []byte) (int, error) {
	if level < zerolog.WarnLevel {
		return len(p), nil
	}
	line, err := parseLine(p)
	if err != nil {
		return 0, fmt.Errorf("keep a line of the log: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lines) == recentLines {
		r.lines = append(r.lines[:0], r.lines[1:]...)
	}
	r.lines = append(r.lines, line)
	r.total++
	return len(p), nil
}

// parseLine takes a line apart that zerolog has written.
func parseLine(p []byte) (l Line, err error) {
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(p))
	d.UseNumber() // a float would show a million as 1e+06
	if err := d.Decode(&fields); err != nil {
		return l, err
	}
	take := func(name string) string {
		text, _ := fields[name].(string)
		delete(fields, name)
		return text
	}
	l.Level, l.Message, l.Error = take(zerolog.LevelFieldName), take(zerolog.MessageFieldName), take(zerolog.ErrorFieldName)
	if l.Time, err = time.Parse(TimeFormat, take(zerolog.TimestampFieldName)); err != nil {
		return l, err
	}
	var rest []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		rest = append(rest, fmt.Sprintf("%s=%v", name, fields[name]))
	}
	l.Fields = strings.Join(rest, " ")
	return l, nil
}
