package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outbox-relay/outbox-relay/replication"
)

// A relay may have a shard of a table only: its publication lets through the rows whose key has a hash that is its index
// modulo the number of shards. Such a slot says nothing about the other rows. But if the slots of all shards are named,
// every row is in one of them, whichever that is, and what all have confirmed is relayed.

// shard reports whether the publication is that of a shard. The filter must be the one that the relay makes, over one
// column by one immutable function: only then every row has one shard.
func (p *Publication) shard() (replication.ShardFilter, bool) {
	return replication.ParseShardFilter(p.Filter)
}

// CheckShards refuses publications of shards that do not have every row of the table together.
func CheckShards(publications []Publication, t *Table) error {
	present := map[replication.ShardFilter][]int{} // indexes by what the shards of one division have in common
	names := map[replication.ShardFilter]string{}
	for i := range publications {
		s, ok := publications[i].shard()
		if !ok {
			continue
		}
		division := replication.ShardFilter{Hash: s.Hash, Count: s.Count}
		present[division], names[division] = append(present[division], s.Index), publications[i].Name
	}
	for division, indexes := range present {
		var missing []string
		for i := range division.Count {
			if !slices.Contains(indexes, i) {
				missing = append(missing, fmt.Sprint(i))
			}
		}
		if missing != nil {
			return configuration("publication_shape", "publication %q has the rows of one of %d shards of %s, by %s, and no publication is named that has those of shard %s: nothing shows that they are relayed, so none is deleted; "+
				"name the slots and publications of all shards, with -shard.count %d", names[division], division.Count, t.Name, division.Hash, strings.Join(missing, ", "), division.Count)
		}
	}
	return nil
}
