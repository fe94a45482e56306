package prune

import (
	"strings"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
)

// maxAhead bounds how many partitions one pass makes.
const maxAhead = 400

// comingPartitions are those to make so that ahead partitions follow the one of now. They are as wide as the newest that is there, and named
// like it; without one there is nothing to go by, and none is made.
func comingPartitions(table catalog.Name, all []partition, ahead int, now time.Time, zone *time.Location) []partition {
	var newest partition
	for _, part := range all {
		if part.to.After(newest.to) {
			newest = part
		}
	}
	if ahead <= 0 || newest.to.IsZero() {
		return nil
	}
	width := widthOf(newest.from.In(zone), newest.to.In(zone))
	end := now.In(zone)
	for range ahead {
		end = width.after(end)
	}
	name := namer(table, newest, zone)
	var coming []partition
	from := newest.to.In(zone)
	for len(coming) < maxAhead && !from.After(end) {
		to := width.after(from)
		if to.After(now) { // gaps in the past are left: nobody writes there
			coming = append(coming, partition{name: name(from, width), from: from, to: to})
		}
		from = to
	}
	return coming
}

// width is how long a partition is: whole months or days of the calendar, which are not all equally long, or a duration.
type width struct {
	months, days int
	duration     time.Duration
}

func widthOf(from, to time.Time) width {
	if !midnight(from) || !midnight(to) {
		return width{duration: to.Sub(from)}
	}
	months := (to.Year()-from.Year())*12 + int(to.Month()) - int(from.Month())
	if months > 0 && from.Day() == 1 && to.Day() == 1 {
		return width{months: months}
	}
	// Noon to noon is a number of whole days, give or take an hour of summer time.
	return width{days: int(to.Sub(from).Hours()/24 + 0.5)}
}

func midnight(t time.Time) bool {
	h, m, s := t.Clock()
	return h == 0 && m == 0 && s == 0 && t.Nanosecond() == 0
}

func (w width) after(t time.Time) time.Time {
	if w.duration > 0 {
		return t.Add(w.duration)
	}
	return t.AddDate(0, w.months, w.days)
}

// layouts are how dates are written in names of partitions, the more exact ones first.
var layouts = []string{"20060102150405", "200601021504", "2006010215", "2006_01_02_15", "20060102_15", "2006_01_02", "2006-01-02", "20060102", "2006_01", "2006-01", "200601"}

// namer returns how partitions are named: like the newest, if its name ends with its date; else the table's name, p and the date.
func namer(table catalog.Name, newest partition, zone *time.Location) func(from time.Time, w width) catalog.Name {
	for _, layout := range layouts {
		if prefix, ok := strings.CutSuffix(newest.name.Table, newest.from.In(zone).Format(layout)); ok && !strings.HasSuffix(prefix, "-") {
			return func(from time.Time, _ width) catalog.Name {
				return catalog.Name{Schema: newest.name.Schema, Table: prefix + from.Format(layout)}
			}
		}
	}
	return func(from time.Time, w width) catalog.Name {
		layout := "20060102"
		if w.duration > 0 {
			layout = "200601021504"
		}
		return catalog.Name{Schema: newest.name.Schema, Table: table.Table + "_p" + from.Format(layout)}
	}
}
