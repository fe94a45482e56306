package replication

import (
	"errors"
	"fmt"
)

// Shard is one relay's part of an outbox that several relays share. Each has a slot
// and a publication of its own, whose row filter lets through the rows of which the
// key's hash, modulo Count, is Index. The rows of a key have one relay, so that their
// order is kept. The zero value is the whole outbox.
type Shard struct {
	Index int    // shard.index, from 0
	Count int    // shard.count; 0 and 1 are no division
	Key   string // table.field.event.key: the column whose hash divides

	slot, publication string // names without the shard's part
}

// shardsMajor is the first major version of PostgreSQL whose publications filter rows.
const shardsMajor = 15

// ShardName is the slot or publication of one shard of those that share the name.
func ShardName(name string, index, count int) string {
	return fmt.Sprintf("%s_%d_of_%d", name, index, count)
}

// Divide makes the configuration that of one shard: Slot and Publication become the
// shard's own. It must be called once, before Validate; a count of 1 divides nothing.
func (c *Config) Divide(s Shard) {
	if s.slot, s.publication = c.Slot, c.Publication; s.Count > 1 {
		c.Slot, c.Publication = ShardName(s.slot, s.Index, s.Count), ShardName(s.publication, s.Index, s.Count)
	}
	c.Shard = s
}

// divided reports whether there are shards at all.
func (s *Shard) divided() bool { return s.Count > 1 }

// title is "shard 1 of 4, counted from 0", for messages.
func (s *Shard) title() string {
	return fmt.Sprintf("shard %d of %d, counted from 0", s.Index, s.Count)
}

// shards are the configurations of all shards, or c alone.
func (c *Config) shards() []*Config {
	if !c.Shard.divided() {
		return []*Config{c}
	}
	all := make([]*Config, c.Shard.Count)
	for i := range all {
		shard := *c
		shard.Shard.Index = i
		shard.Slot, shard.Publication = ShardName(c.Shard.slot, i, c.Shard.Count), ShardName(c.Shard.publication, i, c.Shard.Count)
		all[i] = &shard
	}
	return all
}

// validateShard reports what does not go with shards, each with its option.
func (c *Config) validateShard() error {
	s := &c.Shard
	if !s.divided() {
		if s.Index > 0 {
			return fmt.Errorf("shard.index: it is %d, and without -shard.count there is one relay for all rows; give the number of relays with -shard.count", s.Index)
		}
		return nil
	}
	var errs []error
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	refuse(s.Index < 0, "shard.index: give the number of this relay, from 0 to %d, each to one relay", s.Count-1)
	refuse(s.Index >= s.Count, "shard.index: it is %d, and with shard.count %d it is from 0 to %d", s.Index, s.Count, s.Count-1)
	last := s.Count - 1 // whose name is the longest
	refuse(len(ShardName(s.slot, last, s.Count)) > 63, "slot.name: with shard.count %d it becomes %q, and PostgreSQL allows 63 bytes; shorten it", s.Count, ShardName(s.slot, last, s.Count))
	refuse(len(ShardName(s.publication, last, s.Count)) > 63, "publication.name: with shard.count %d it becomes %q, and PostgreSQL allows 63 bytes; shorten it", s.Count, ShardName(s.publication, last, s.Count))
	refuse(s.Key == "", "table.field.event.key: shard.count divides rows by it; name the column")
	refuse(c.Autocreate == AllTables || c.Autocreate == NoTables, "publication.autocreate.mode: %s makes a publication without row filters, and shard.count needs one for each table; set it to filtered, or to disabled and make the publications by hand (-check prints the SQL)", c.Autocreate)
	refuse(c.PublishUpdates, "publication.publish.updates: an update that moves a row to another shard would arrive there as a new event, and PostgreSQL refuses updates of a table whose replica identity lacks the filter's column; leave it out with shard.count")
	refuse(c.Messages.Enabled(), "message.prefix.include.list, message.prefix.exclude.list: row filters do not divide messages, so every shard would send each; let one relay without shard.count, with a slot of its own, send them")
	return errors.Join(errs...)
}

// checkShard refuses shards on a server that cannot filter rows.
func (o *opener) checkShard() error {
	version := o.sql.PgConn().ParameterStatus("server_version")
	if !o.cfg.Shard.divided() || major(version) >= shardsMajor {
		return nil
	}
	return configuration("unsupported", fmt.Errorf("shard.count: PostgreSQL %s has no row filters of publications, which came with %d; run one relay", version, shardsMajor))
}
