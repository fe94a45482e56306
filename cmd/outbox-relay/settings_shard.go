package main

import (
	"errors"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/replication"
)

// shard are the options of an outbox that several relays share.
type shard struct{ index, count int }

// declareShard adds them.
func (s *settings) declareShard(g *options.Group) {
	g.Int(&s.shard.count, "shard.count", 1, "`number` of relays that share the outbox, for more than one relay can carry: each has a slot and a publication of its own, named <slot.name>_I_of_N and <publication.name>_I_of_N, whose row filter chooses its rows by the hash of table.field.event.key. The order of the rows of a key is kept. "+
		"The first relay to start makes the publications and slots of all. To change the number later takes steps, or events are lost: docs/sharding.md. It needs PostgreSQL 15", options.AtLeast(1), options.AtMost(100))
	g.Int(&s.shard.index, "shard.index", -1, "`number` of this relay among them, from 0; each has another", options.AtLeast(-1))
}

// divide gives slot and publication the names of the shard. It must come before
// whatever takes them over.
func (s *settings) divide(set *options.Set) error {
	r := &s.replication
	if s.shard.count > 1 && s.connector.dropOnStop {
		return errors.New("slot.drop.on.stop: the next start would make the slot of this shard later than the others; leave it out with shard.count")
	}
	if s.shard.count > 1 && s.imported.implies(set, "publication.publish.updates") {
		r.PublishUpdates = false // Debezium's default, for warnings of updates that nobody should make
	}
	r.Divide(replication.Shard{Index: s.shard.index, Count: s.shard.count, Key: s.router.EventKey})
	return nil
}
