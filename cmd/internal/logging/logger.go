// Package logging makes the daemons' logger: readable on a terminal, JSON everywhere else, times in UTC. It changes
// none of zerolog's global settings. It also keeps repeated failures from flooding the log, and passwords of
// connection strings out of it.
package logging

import (
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/cmd/internal/tty"
)

// The formats that New knows.
const (
	Auto    = "auto"    // Console if the writer is a terminal, else JSON
	Console = "console" // for people; in color on a terminal, unless NO_COLOR is set
	JSON    = "json"    // one object a line
)

// Formats returns the formats for an option that offers them.
func Formats() []string { return []string{Auto, Console, JSON} }

// Levels returns the levels for an option that offers them, the most talkative first.
func Levels() []string { return []string{"trace", "debug", "info", "warn", "error"} }

// TimeFormat is RFC 3339 with milliseconds.
const TimeFormat = "2006-01-02T15:04:05.000Z07:00"

// New returns a logger that is safe for concurrent use and writes one line at a time to w, and warnings and errors to
// each Recent too. It fails for a level or format that it does not know.
func New(w io.Writer, level, format string, keep ...*Recent) (zerolog.Logger, error) {
	l, err := zerolog.ParseLevel(level)
	if err != nil || level == "" {
		return zerolog.Nop(), fmt.Errorf("unknown log level %q", level)
	}
	switch {
	case format == Console, format == Auto && tty.Is(w):
		w = console(w)
	case format != JSON && format != Auto:
		return zerolog.Nop(), fmt.Errorf("unknown log format %q", format)
	}
	w = zerolog.SyncWriter(w)
	for _, r := range keep {
		w = zerolog.MultiLevelWriter(w, r)
	}
	return zerolog.New(w).Level(l).Hook(zerolog.HookFunc(stamp)), nil
}

// stamp adds the time. It is a hook of our own because zerolog's Timestamp takes its format and clock from
// package-wide variables.
func stamp(e *zerolog.Event, _ zerolog.Level, _ string) {
	e.Str(zerolog.TimestampFieldName, time.Now().UTC().Format(TimeFormat))
}
