package main

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
)

// outbox are the options of outbox tables.
type outbox struct {
	tables       []catalog.Name
	slots        []string
	publications []string
	shards       int
	retention    time.Duration
	by           string
	column       string
	zone         *time.Location
}

// inbox are the options of a consumer's inbox.
type inbox struct {
	tables    []catalog.Name
	column    string
	retention time.Duration
}

// auto chooses how age is told by whether there is a time column.
const auto = "auto"

func (o *outbox) declare(g *options.Group) {
	options.Parsed(g, &o.tables, "table.include.list", "public.outbox", "outbox `tables` as schema.table, separated by commas; these are names, not expressions. The default counts only without inbox.table", parseNames)
	g.Duration(&o.retention, "retention", 168*time.Hour, "age from which a row goes once it is relayed", options.AtLeast(time.Duration(0)))
	g.String(&o.column, "table.field.event.timestamp", "", "`column` with the time of a row (timestamptz, timestamp or date)")
	g.String(&o.by, "retention.by", auto, "how to tell a row's age: column is the one above; id the time in a UUIDv7 that the key begins with; observed when the pruner first saw it, which needs no column and counts from the first pass. auto is column if there is one, else observed",
		options.OneOf(auto, string(prune.ByColumn), string(prune.ByID), string(prune.ByObserved)))
	options.Parsed(g, &o.zone, "time.zone", "UTC", "`zone` of columns without one (timestamp, date) and of the days and months of partitions, such as Europe/Berlin", parseZone)
}

func (i *inbox) declare(g *options.Group) {
	options.Parsed(g, &i.tables, "inbox.table", "", "inbox `tables` as schema.table, separated by commas; their rows go by age alone, in the same batches", parseNames)
	g.String(&i.column, "inbox.column", "processed_at", "`column` with the time of a row", options.NotEmpty())
	g.Duration(&i.retention, "inbox.retention", 30*24*time.Hour, "age from which a row goes; keep it for longer than a repeat can be late, the topic's retention", options.AtLeast(time.Duration(0)))
}

var slotName = regexp.MustCompile(`^[a-z0-9_]{1,63}$`)

// complete makes the pruner's configuration of what was given, and checks it. A consumer's database has an inbox and no
// outbox, so the default outbox counts only where no inbox is named.
func (s *settings) complete(set *options.Set) error {
	o := &s.outbox
	if len(s.inbox.tables) > 0 && set.Source("table.include.list").Kind == options.Default {
		o.tables = nil
	}
	if o.by == auto {
		o.by = string(prune.ByObserved)
		if o.column != "" {
			o.by = string(prune.ByColumn)
		}
	}
	s.prune.Partitions = prune.Partitions(s.partitions)
	s.prune.Once = s.prune.Once || s.prune.DryRun
	for _, t := range o.tables {
		s.prune.Targets = append(s.prune.Targets, prune.Target{Table: t, Age: prune.Age(o.by), Column: o.column, Zone: o.zone, Retention: o.retention})
	}
	for _, t := range s.inbox.tables {
		s.prune.Targets = append(s.prune.Targets, prune.Target{Table: t, Age: prune.ByColumn, Column: s.inbox.column, Zone: o.zone, Retention: s.inbox.retention, Inbox: true})
	}
	return errors.Join(s.checkTables(), s.completeSlots())
}

func (s *settings) checkTables() error {
	var errs []error
	if len(s.prune.Targets) == 0 {
		errs = append(errs, errors.New("table.include.list and inbox.table: name a table"))
	}
	if s.outbox.by == string(prune.ByColumn) && s.outbox.column == "" && len(s.outbox.tables) > 0 {
		errs = append(errs, errors.New("retention.by column needs table.field.event.timestamp"))
	}
	seen := map[catalog.Name]bool{}
	for _, t := range s.prune.Targets {
		if seen[t.Table] {
			errs = append(errs, fmt.Errorf("table %s is named twice", t.Table))
		}
		seen[t.Table] = true
	}
	return errors.Join(errs...)
}

// completeSlots pairs slots with their publications.
func (s *settings) completeSlots() error {
	o := &s.outbox
	if len(o.tables) == 0 {
		return nil
	}
	var errs []error
	if len(o.slots) == 0 {
		errs = append(errs, errors.New("slot.name: name the relay's slot; without one nothing shows that a row was relayed"))
	}
	if n := len(o.publications); n != 1 && n != len(o.slots) {
		errs = append(errs, fmt.Errorf("publication.name: %d names for %d slots; give one for all, or one for each", n, len(o.slots)))
		return errors.Join(errs...)
	}
	seen := map[string]bool{}
	slots, publications := o.divided()
	for i, name := range slots {
		if !slotName.MatchString(name) || seen[name] {
			errs = append(errs, fmt.Errorf("slot.name: %q is no slot name (1 to 63 of a-z, 0-9 and _), or named twice", name))
		}
		seen[name] = true
		publication := publications[min(i, len(publications)-1)]
		s.prune.Slots = append(s.prune.Slots, prune.Slot{Name: name, Publication: publication})
	}
	return errors.Join(errs...)
}
