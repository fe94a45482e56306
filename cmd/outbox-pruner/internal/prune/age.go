package prune

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/replication"
)

// clock compares the time that a row has of itself, in SQL.
type clock struct {
	column catalog.Column
	before func(time.Time) string // the row's time is before
	since  func(time.Time) string // the row's time is not before
	more   string                 // what else must hold for the row to have a time; empty for nothing
	zone   *time.Location         // of times without one
}

// timeTypes are the types of columns that say when a row was made.
var timeTypes = []string{"timestamp with time zone", "timestamp without time zone", "date"}

// readClock finds the column by which the target's rows tell their age; nil if they do not.
func (t Target) readClock(table *catalog.Table) (*clock, error) {
	switch t.Age {
	case ByColumn:
		column := table.Column(t.Column)
		if column == nil {
			return nil, badAge("table %s has no column %q; name the one with the rows' time", t.Table, t.Column)
		}
		if !slices.Contains(timeTypes, column.Type) {
			return nil, badAge("column %q of %s has type %s, which is no time; name one of type timestamptz, timestamp or date, or use -retention.by observed", t.Column, t.Table, column.Type)
		}
		return columnClock(*column, t.Zone), nil
	case ByID:
		key := table.Key[0]
		if key.Type != "uuid" {
			return nil, badAge("the key of %s begins with %q of type %s, not with a UUIDv7; use another -retention.by", t.Table, key.Name, key.Type)
		}
		return uuidClock(key), nil
	}
	return nil, nil
}

func badAge(format string, args ...any) error {
	return &replication.Problem{Class: replication.Configuration, Reason: "age", Err: fmt.Errorf(format, args...)}
}

func columnClock(column catalog.Column, zone *time.Location) *clock {
	literal := func(t time.Time) string {
		return "'" + t.UTC().Format("2006-01-02 15:04:05.999999") + "+00'::timestamptz"
	}
	after := ">="
	switch column.Type {
	case "timestamp without time zone":
		literal = func(t time.Time) string {
			return "'" + t.In(zone).Format("2006-01-02 15:04:05.999999") + "'::timestamp"
		}
	case "date":
		literal = func(t time.Time) string { return "'" + t.In(zone).Format("2006-01-02") + "'::date" }
		after = ">" // of a row of the same day nobody knows
	}
	return &clock{
		column: column, zone: zone,
		before: func(t time.Time) string { return column.SQL() + " < " + literal(t) },
		since:  func(t time.Time) string { return column.SQL() + " " + after + " " + literal(t) },
	}
}

// uuidClock reads RFC 9562's version 7: 48 bits of milliseconds come first, so that times compare as the UUIDs do.
func uuidClock(key catalog.Column) *clock {
	low := func(t time.Time) string {
		ms := fmt.Sprintf("%012x", max(0, t.UnixMilli())&(1<<48-1))
		return fmt.Sprintf("'%s-%s-0000-0000-000000000000'::uuid", ms[:8], ms[8:])
	}
	return &clock{
		column: key, zone: time.UTC,
		before: func(t time.Time) string { return key.SQL() + " < " + low(t) },
		since:  func(t time.Time) string { return key.SQL() + " >= " + low(t) },
		more:   "pg_catalog.get_byte(pg_catalog.uuid_send(" + key.SQL() + "), 6) >> 4 = 7",
	}
}

// read turns the column's text into a time.
func (c *clock) read(text string) (time.Time, error) {
	if c.column.Type == "uuid" {
		ms, err := strconv.ParseInt(text[:8]+text[9:13], 16, 64)
		return time.UnixMilli(ms).UTC(), err
	}
	for _, layout := range []string{"2006-01-02 15:04:05.999999-07", "2006-01-02 15:04:05.999999-07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if t, err := time.ParseInLocation("2006-01-02 15:04:05.999999", text, c.zone); err == nil {
		return t, nil
	}
	return time.ParseInLocation("2006-01-02", text, c.zone)
}
