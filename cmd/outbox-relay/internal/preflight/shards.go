package preflight

import (
	"strings"

	"github.com/outbox-relay/outbox-relay/replication"
)

// shards is about the relays of the other shards, without which the rows of those are
// not relayed. This one would start all the same.
func (n *notes) shards(c *Config, s *replication.Survey) {
	if c.Replication.Shard.Count < 2 {
		return
	}
	if s.Siblings != nil {
		n.warn("shards", "", "%v", s.Siblings)
	}
	if len(s.Unread) > 0 {
		n.warn("shards", "", "nobody reads the slots of other shards now: %s; their rows wait in the WAL until their relays are started", strings.Join(s.Unread, ", "))
	}
	if s.Siblings == nil && len(s.Unread) == 0 {
		n.ok("shards", "this is shard %d of %d, counted from 0; nothing is wrong with the others", c.Replication.Shard.Index, c.Replication.Shard.Count)
	}
}
