package main

import (
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/replication"
)

// declareShard adds the option for an outbox that several relays share.
func (o *outbox) declareShard(g *options.Group) {
	g.Int(&o.shards, "shard.count", 1, "`number` of relays that share the outbox (the relay's option): each slot and publication stands for those of all shards, named as <slot.name>_I_of_N, and a row goes when the readers of all have confirmed it", options.AtLeast(1), options.AtMost(100))
}

// divided are the slots and publications of all shards, in the same order.
func (o *outbox) divided() (slots, publications []string) {
	if o.shards < 2 || len(o.publications) == 0 {
		return o.slots, o.publications
	}
	for i, slot := range o.slots {
		publication := o.publications[min(i, len(o.publications)-1)]
		for shard := range o.shards {
			slots, publications = append(slots, replication.ShardName(slot, shard, o.shards)), append(publications, replication.ShardName(publication, shard, o.shards))
		}
	}
	return slots, publications
}
